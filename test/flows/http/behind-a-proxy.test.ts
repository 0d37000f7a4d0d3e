// The service behind real proxies, configured as in docs/operating.md: each client has its own limits, and forged
// forwarded headers have no effect.
import { afterEach, describe, expect, test } from 'vitest';
import { GUESSES_PER_MINUTE } from '../../../src/http/integrator/guess-budget.ts';
import { createPlatform, silentLog, type LogLine } from '../../../src/platform.ts';
import { addLogin, type Login } from '../../../harness/service/panel-client.ts';
import { askFrom, isInstalled, PROXY_NAMES, startProxy, type ProxyName } from '../../servers/reverse-proxy.ts';
import { startService, type TestService } from '../../../harness/service/service.ts';

const TRUSTED = ['127.0.0.1'];
const ATTACKER = '127.0.0.2';
const OTHER = '127.0.0.3';
const FORGED: readonly Record<string, string>[] = [
  { 'x-forwarded-for': '127.0.0.4' },
  { 'x-forwarded-for': '127.0.0.4, 127.0.0.1' },
  { forwarded: 'for=127.0.0.4' },
  { 'x-forwarded-for': '127.0.0.4', forwarded: 'for=127.0.0.4' },
  { 'x-forwarded-for': 'unknown', forwarded: 'for="' },
  { 'x-real-ip': '127.0.0.4', 'x-client-ip': '127.0.0.4', 'true-client-ip': '127.0.0.4' },
];

const endings: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0).toReversed()) await end();
});

async function startBehind(name: ProxyName, trustedProxies: string[]) {
  const lines: LogLine[] = [];
  const keep = (line: LogLine) => void lines.push(line);
  const platform = createPlatform({ ...silentLog, info: keep, warn: keep });
  const service = await startService({ platform, roles: ['api'], config: { trustedProxies } });
  endings.push(() => service.stop());
  const proxy = await startProxy(name, service.address);
  endings.push(() => proxy.stop());
  const signIn = async (from: string, login: Pick<Login, 'email' | 'password'>, headers: Record<string, string> = {}) =>
    askFrom({
      port: proxy.port,
      from,
      method: 'POST',
      path: '/api/session',
      headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin', ...headers },
      body: { email: login.email, password: login.password },
    });
  const tryKey = async (from: string, headers: Record<string, string> = {}) => {
    const key = { 'x-api-key': `wb_live_${'0'.repeat(43)}` };
    const path = '/webhook/third-party/events';
    return (await askFrom({ port: proxy.port, from, path, headers: { ...key, ...headers } })).status;
  };
  const get = async (path: string) => (await askFrom({ port: proxy.port, from: OTHER, path })).status;
  return { service, lines, signIn, tryKey, get };
}

const PROXIES = PROXY_NAMES.map((name) => [name, isInstalled(name) ? '' : ' (skipped: not installed)'] as const);

/** Sends 20 requests at a time; returns the number of answers per status. */
async function countStatuses(times: number, ask: (index: number) => Promise<number>): Promise<Record<number, number>> {
  const counts: Record<number, number> = {};
  for (let begun = 0; begun < times; begun += 20) {
    const wave = Array.from({ length: Math.min(20, times - begun) }, (_, offset) => ask(begun + offset));
    for (const status of await Promise.all(wave)) counts[status] = (counts[status] ?? 0) + 1;
  }
  return counts;
}

async function listSessionAddresses(service: TestService, userId: string): Promise<string[]> {
  const rows = await service.app.db.query<{ ipAddress: string }>(
    'select ip_address from sessions where user_id = $1 order by created_at',
    [userId],
  );
  return rows.map((row) => row.ipAddress);
}

describe.each(PROXIES)('behind %s%s', (name) => {
  const isAbsent = !isInstalled(name);

  test.skipIf(isAbsent)(
    '1,000 wrong sign-ins from one address do not affect other addresses, and forged headers do not help',
    async () => {
      const { service, lines, signIn } = await startBehind(name, TRUSTED);
      const login = await addLogin(service, 'operator');
      const guess = async (index: number) => {
        // For the account that signs in afterward, and for accounts that do not exist.
        const email = index % 10 === 0 ? login.email : `nobody-${index}@example.com`;
        return (await signIn(ATTACKER, { email, password: 'not this one' }, FORGED[index % 20])).status;
      };
      const counts = await countStatuses(1_000, guess);
      expect(counts).toEqual({ 401: 60, 429: 940 });
      for (const headers of FORGED) expect((await signIn(ATTACKER, login, headers)).status).toBe(429);

      expect((await signIn(OTHER, { email: login.email, password: 'not this one' })).status).toBe(401);
      expect((await signIn(OTHER, login)).status).toBe(200);
      expect(await listSessionAddresses(service, login.userId)).toEqual([OTHER]);
      const clients = lines.filter(({ event }) => event === 'http.request').map((line) => line['client']);
      expect(new Set(clients)).toEqual(new Set([ATTACKER, OTHER]));
      expect(lines.filter(({ event }) => event.startsWith('proxy.'))).toEqual([]);
    },
    // 60 passwords are checked, which is slow by design.
    120_000,
  );

  test.skipIf(isAbsent)('one client’s wrong keys never turn another client’s 401 into a 429', async () => {
    const { tryKey } = await startBehind(name, TRUSTED);
    const counts = await countStatuses(GUESSES_PER_MINUTE + 40, (index) => tryKey(ATTACKER, FORGED[index % 20]));
    expect(counts).toEqual({ 401: GUESSES_PER_MINUTE, 429: 40 });
    for (const headers of FORGED) expect(await tryKey(ATTACKER, headers)).toBe(429);
    expect(await tryKey(OTHER)).toBe(401);
    expect(await tryKey(OTHER, { 'x-forwarded-for': ATTACKER })).toBe(401);
  });

  test.skipIf(isAbsent)('control: an untrusted proxy counts as one client, and the log says so once', async () => {
    const { lines, tryKey, get } = await startBehind(name, []);
    await countStatuses(GUESSES_PER_MINUTE, () => tryKey(ATTACKER));
    expect(await tryKey(OTHER)).toBe(429);
    const warnings = lines.filter(({ event }) => event === 'proxy.not_trusted');
    expect(warnings).toHaveLength(1);
    expect(warnings[0]?.['message']).toMatch(/^Requests from 127\.0\.0\.1 .* WAYBILL_TRUSTED_PROXIES/);
    expect([await get('/docs'), await get('/metrics'), await get('/readyz')]).toEqual([200, 404, 404]);
  });
});
