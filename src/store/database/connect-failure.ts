// Explains why a connection to the database failed, and what to do about it.
import { readDatabaseUrl } from './connecting/database-url.ts';
import { TransactionPooling } from './connecting/pooler-check.ts';
import { NoWritableServer, ReadOnlyServer } from './connecting/writable-server.ts';

const REFUSALS: Readonly<Record<string, (parts: UrlParts) => string>> = {
  '28P01': ({ user }) => `The password of user ${user} is wrong. Correct it in DATABASE_URL.`,
  '28000': ({ user }) =>
    `User ${user} is not allowed to connect. Allow it in PostgreSQL, or set another user in DATABASE_URL.`,
  '3D000': ({ database }) =>
    `The database ${JSON.stringify(database)} does not exist. Create it, or correct DATABASE_URL.`,
  '53300': () => 'All of its connections are in use. Raise max_connections, or close other connections.',
};
const TOO_MANY_CONNECTIONS = '53300';

interface UrlParts {
  place: string;
  user: string;
  database: string;
}

/** Never contains the password; of the URL, only hosts, user and database are shown. */
export function describeConnectFailure(error: unknown, url: string): string {
  if (error instanceof TransactionPooling) return error.message;
  if (error instanceof NoWritableServer) {
    const refused = error.failures.find((failure) => codeOf(failure.error) in REFUSALS);
    if (refused !== undefined) return describeOne(refused.error, { ...readParts(url), place: refused.place });
    const reasons = error.failures.map(({ place, error: one }) => `${place}: ${whyOf(one)}`).join(', ');
    return `No server of DATABASE_URL accepts writes (${reasons}). Check that one of them is a running primary.`;
  }
  return describeOne(error, readParts(url));
}

/** False if only a change of settings, or of the server's accounts, can help. */
export function mayPass(error: unknown): boolean {
  if (error instanceof TransactionPooling) return false;
  if (error instanceof NoWritableServer) return error.failures.every((failure) => mayPass(failure.error));
  const code = codeOf(error);
  return code === TOO_MANY_CONNECTIONS || !(code in REFUSALS);
}

function describeOne(error: unknown, parts: UrlParts): string {
  const where = `The database at ${parts.place}`;
  if (error instanceof ReadOnlyServer) {
    return `${where} accepts no writes (${error.message}). Check that DATABASE_URL names the primary.`;
  }
  const refusal = REFUSALS[codeOf(error)];
  if (refusal !== undefined) return `${where} refused the connection. ${refusal(parts)}`;
  return `${where} cannot be reached (${whyOf(error)}). Check that it is running and that DATABASE_URL is correct.`;
}

function readParts(url: string): UrlParts {
  const { servers } = readDatabaseUrl(url);
  const { username, pathname } = new URL(servers[0]?.url ?? url);
  return {
    place: servers[0]?.place ?? 'this machine',
    user: username === '' ? 'the default user' : decodeURIComponent(username),
    database: decodeURIComponent(pathname.slice(1)),
  };
}

function whyOf(error: unknown): string {
  if (error instanceof ReadOnlyServer) return error.message;
  const code = codeOf(error);
  if (code !== '') return code;
  return error instanceof Error && error.message !== '' ? error.message : 'no response';
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
