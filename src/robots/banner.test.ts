import { expect, test } from 'vitest';
import { renderBanner, type BannerFacts } from './banner.ts';

const FACTS: BannerFacts = {
  address: 'http://127.0.0.1:8080',
  restaurantId: 'demo-moda',
  restaurantName: 'Moda Ocakbaşı',
  credentials: {
    apiKey: `wb_live_${'k'.repeat(43)}`,
    basic: { username: `wb_${'u'.repeat(17)}`, password: 'p'.repeat(43) },
    webhookSecret: `whsec_${'s'.repeat(44)}`,
    logins: [{ role: 'restaurant', email: 'restaurant@demo.example', password: 'abcde-fghjk-mnpqr-stvwx' }],
  },
  receiverUrl: 'https://localhost:34567',
  otherReceivers: [],
  dataDir: '/home/ada/waybill/data',
};

test('every line except the one to paste fits into 80 columns', () => {
  const lines = renderBanner(FACTS, false).split('\n');
  expect(lines.filter((line) => line.length > 80).map((line) => line.slice(0, 5))).toEqual(['curl ']);
});

test('colors are used only when enabled, and change no characters', () => {
  const plain = renderBanner(FACTS, false);
  expect(plain).not.toContain('\u001B');
  const colored = renderBanner(FACTS, true);
  expect(colored).not.toBe(plain);
  // oxlint-disable-next-line no-control-regex
  expect(colored.replaceAll(/\u001B\[[\d;]*m/g, '')).toBe(plain);
});

test('a service that listens on all interfaces is shown with an address that can be opened', () => {
  expect(renderBanner({ ...FACTS, address: 'http://0.0.0.0:8080' }, false)).toContain(' http://127.0.0.1:8080/\n');
  expect(renderBanner({ ...FACTS, address: 'http://[::]:8080' }, false)).toContain('curl -sS -g http://[::1]:8080/');
});

test('a node that serves no requests shows no address and nothing to paste', () => {
  const banner = renderBanner({ ...FACTS, address: '' }, false);
  expect(banner).not.toContain('curl');
  expect(banner).not.toContain('Live page');
});
