// What `npm start` shows once everything is up: addresses, logins, and a command to paste.
import type { DemoCredentials } from './demo-setup.ts';

export interface BannerFacts {
  /** The address listened on; empty if this node takes no requests. */
  address: string;
  restaurantId: string;
  restaurantName: string;
  credentials: DemoCredentials;
  receiverUrl: string;
  otherReceivers: readonly string[];
  dataDir: string;
}

/** An address that a browser and curl can reach if the service listens on every address. */
function reachableAddress(address: string): string {
  return address.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:');
}

/** One line for a POSIX shell; each paste makes a new order. */
export function curlLine(facts: Pick<BannerFacts, 'address' | 'restaurantId' | 'credentials'>): string {
  const order = {
    orderId: 'demo-MOMENT',
    restaurantId: facts.restaurantId,
    dropoff: {
      address: { line1: 'Moda Caddesi 12' },
      location: { latitude: 40.9828, longitude: 29.0262 },
    },
    items: [{ name: 'Adana kebap', quantity: 2 }],
  };
  // The shell quotes end before the date and start again after it. The JSON itself contains no single quote.
  const body = JSON.stringify(order).replace('MOMENT', `'"$(date +%s)"'`);
  const headers = ['Content-Type: application/json', `X-API-Key: ${facts.credentials.apiKey}`];
  // -g keeps curl from reading the brackets of an IPv6 address as a pattern.
  const globbing = facts.address.includes('[') ? '-g ' : '';
  const url = `${reachableAddress(facts.address)}/webhook/third-party/order`;
  return `curl -sS ${globbing}${url} ${headers.map((header) => `-H '${header}'`).join(' ')} -d '${body}'`;
}

const LABEL_WIDTH = 12;

export function renderBanner(facts: BannerFacts, hasColors: boolean): string {
  const paint = (codes: string, text: string) => (hasColors ? `\u001B[${codes}m${text}\u001B[0m` : text);
  const line = (label: string, value: string) => `  ${paint('2', label.padEnd(LABEL_WIDTH))} ${value}`;
  const { credentials } = facts;
  const address = reachableAddress(facts.address);
  const lines = [
    '',
    paint('1', '  Waybill is running.'),
    '',
    ...(address === ''
      ? []
      : [
          line('Panel', paint('1;36', `${address}/`)),
          line('Live page', `${address}/demo`),
          line('API docs', `${address}/docs`),
        ]),
    line('Restaurant', `${facts.restaurantName} (restaurantId ${facts.restaurantId})`),
    line('API key', credentials.apiKey),
    line('Basic user', credentials.basic.username),
    line('  password', credentials.basic.password),
    line('Secret', credentials.webhookSecret ?? 'none: webhooks are not signed'),
    line('Receiver', facts.receiverUrl),
    ...facts.otherReceivers.map((url) => line('', `webhooks go to ${url} instead`)),
    ...credentials.logins.map(({ role, email, password }) => line('Login', `${email} / ${password}  (${role})`)),
    line('Data', facts.dataDir),
    '',
  ];
  if (address !== '') {
    lines.push(
      '  Paste this to place an order. Robots deliver it within a minute.',
      '',
      paint('32', curlLine(facts)),
      '',
    );
  }
  lines.push(paint('2', '  Press Ctrl-C to stop. Orders are kept for the next start.'), '');
  return lines.join('\n');
}
