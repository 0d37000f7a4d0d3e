// Resolves names without libuv's thread pool, where two names with a dead name server stall all other lookups.
import { readFileSync, statSync } from 'node:fs';
import { Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import type { Clock } from '../../platform.ts';

export type Resolution =
  | {
      ok: true;
      addresses: readonly string[];
      /** `any` only for localhost, where either address will do. In other answers, every address must be allowed. */
      needs: 'every' | 'any';
    }
  | { ok: false; message: string };

export interface NameResolver {
  /** Never rejects. */
  resolve(name: string): Promise<Resolution>;
  close(): void;
}

export interface NameResolverOptions {
  clock: Clock;
  /** Name servers as `address` or `address:port`; defaults to the machine's own. */
  servers?: readonly string[];
  hostsFile?: string;
  timeoutMs?: number;
  tries?: number;
}

const MIN_CACHE_MS = 1000;
const MAX_CACHE_MS = 30_000;
const FAILURE_CACHE_MS = 1000;
const MAX_CACHED_NAMES = 2000;
/** After one family has answered, the other gets this long: some name servers never answer for AAAA. */
const SECOND_FAMILY_MS = 1000;
const MAX_ADDRESSES = 32;
const HOSTS_CHECK_MS = 1000;

const LOCALHOST: Resolution = { ok: true, addresses: ['127.0.0.1', '::1'], needs: 'any' };

interface CacheEntry {
  resolution: Promise<Resolution>;
  until: number;
}

interface FamilyAnswer {
  addresses: string[];
  ttlMs: number;
  /** Why there are no addresses; undefined when there are. */
  failure: string | undefined;
}

export function createNameResolver(options: NameResolverOptions): NameResolver {
  const { clock, timeoutMs = 1500, tries = 2 } = options;
  // Without maxTimeout each further try takes twice as long, and the attempt's deadline would pass first.
  const resolver = new Resolver({ timeout: timeoutMs, tries, maxTimeout: timeoutMs });
  if (options.servers !== undefined) resolver.setServers(options.servers);
  const findInHosts = createHostsReader(options.hostsFile ?? '/etc/hosts', clock);
  const cache = new Map<string, CacheEntry>();

  function lookUp(name: string): Promise<Resolution> {
    // Never expires while pending, so that any number of concurrent attempts share one lookup.
    const entry: CacheEntry = { resolution: Promise.resolve(LOCALHOST), until: Infinity };
    entry.resolution = askBothFamilies(resolver, name).then((answer) => {
      const addresses = answer.addresses.slice(0, MAX_ADDRESSES);
      const ok = addresses.length > 0;
      const cacheMs = ok ? Math.min(Math.max(answer.ttlMs, MIN_CACHE_MS), MAX_CACHE_MS) : FAILURE_CACHE_MS;
      entry.until = clock.monotonicMs() + cacheMs;
      return ok
        ? { ok, addresses, needs: 'every' }
        : { ok, message: FAILURE_MESSAGES[answer.failure ?? ''] ?? 'The host name could not be resolved' };
    });
    cache.delete(name);
    cache.set(name, entry);
    if (cache.size > MAX_CACHED_NAMES) for (const oldest of cache.keys()) if (cache.delete(oldest)) break;
    return entry.resolution;
  }

  return {
    async resolve(name) {
      if (name === 'localhost' || name.endsWith('.localhost')) return LOCALHOST;
      const fixed = findInHosts(name);
      if (fixed !== undefined) return { ok: true, addresses: fixed, needs: 'every' };
      const cached = cache.get(name);
      return cached !== undefined && cached.until > clock.monotonicMs() ? cached.resolution : lookUp(name);
    },
    close() {
      resolver.cancel();
    },
  };
}

async function askBothFamilies(resolver: Resolver, name: string): Promise<FamilyAnswer> {
  const four = settle(resolver.resolve4(name, { ttl: true }));
  const six = settle(resolver.resolve6(name, { ttl: true }));
  const first = await Promise.race([four, six]);
  const both = Promise.all([four, six]);
  const answers = await (first.failure === undefined ? withPatience(both, first) : both);
  const found = answers.filter((answer) => answer.failure === undefined);
  const failures = answers.flatMap((answer) => answer.failure ?? []);
  return {
    // IPv4 first: where both exist, IPv6 is the one that may be half-configured.
    addresses: found.flatMap((answer) => answer.addresses),
    ttlMs: Math.min(...found.map((answer) => answer.ttlMs)),
    failure: failures.find((code) => code !== 'ENODATA') ?? failures[0],
  };
}

async function settle(query: Promise<{ address: string; ttl: number }[]>): Promise<FamilyAnswer> {
  try {
    const records = await query;
    if (records.length === 0) return { addresses: [], ttlMs: 0, failure: 'ENODATA' };
    return {
      addresses: records.map((record) => record.address),
      ttlMs: Math.min(...records.map((record) => record.ttl)) * 1000,
      failure: undefined,
    };
  } catch (error) {
    return { addresses: [], ttlMs: 0, failure: error instanceof Error && 'code' in error ? String(error.code) : '' };
  }
}

async function withPatience(both: Promise<FamilyAnswer[]>, first: FamilyAnswer): Promise<FamilyAnswer[]> {
  let timer: NodeJS.Timeout | undefined;
  const enough = new Promise<FamilyAnswer[]>((resolve) => {
    timer = setTimeout(resolve, SECOND_FAMILY_MS, [first]);
  });
  const answers = await Promise.race([both, enough]);
  clearTimeout(timer);
  return answers;
}

const FAILURE_MESSAGES: Readonly<Record<string, string>> = {
  ENOTFOUND: 'The host name does not exist',
  ENODATA: 'The host name has no address',
  ETIMEOUT: 'The name server did not respond in time',
};

/** c-ares answers from name servers only, so the hosts file is read here, and again when it changes. */
function createHostsReader(path: string, clock: Clock): (name: string) => readonly string[] | undefined {
  let names = new Map<string, string[]>();
  let version = '';
  let checkedUntil = -Infinity;
  return (name) => {
    const now = clock.monotonicMs();
    if (now >= checkedUntil) {
      checkedUntil = now + HOSTS_CHECK_MS;
      const current = readVersion(path);
      if (current !== version) names = parseHosts(readText(path));
      version = current;
    }
    return names.get(name);
  };
}

/** An unreadable file counts as empty; the name servers are asked instead. */
function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function readVersion(path: string): string {
  try {
    const status = statSync(path);
    return `${status.mtimeMs}/${status.size}/${status.ino}`;
  } catch {
    return '';
  }
}

function parseHosts(text: string): Map<string, string[]> {
  const names = new Map<string, string[]>();
  for (const line of text.split('\n')) {
    const [address = '', ...aliases] = (line.split('#')[0] ?? '').trim().split(/\s+/);
    if (isIP(address) === 0) continue;
    for (const alias of aliases) {
      const name = alias.toLowerCase();
      const known = names.get(name);
      if (known === undefined) names.set(name, [address]);
      else if (!known.includes(address)) known.push(address);
    }
  }
  return names;
}
