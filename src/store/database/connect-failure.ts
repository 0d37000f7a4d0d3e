// Explains why a connection to the database failed, and what to do about it.

const REFUSALS: Readonly<Record<string, (parts: UrlParts) => string>> = {
  '28P01': ({ user }) => `The password of user ${user} is wrong. Correct it in DATABASE_URL.`,
  '28000': ({ user }) =>
    `User ${user} is not allowed to connect. Allow it in PostgreSQL, or set another user in DATABASE_URL.`,
  '3D000': ({ database }) =>
    `The database ${JSON.stringify(database)} does not exist. Create it, or correct DATABASE_URL.`,
  '53300': () => 'All of its connections are in use. Raise max_connections, or close other connections.',
};

interface UrlParts {
  place: string;
  user: string;
  database: string;
}

/** Never contains the password; of the URL, only host, user and database are shown. */
export function describeConnectFailure(error: unknown, url: string): string {
  const parts = readUrl(url);
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const refusal = REFUSALS[code];
  const where = `The database at ${parts.place}`;
  if (refusal !== undefined) return `${where} refused the connection. ${refusal(parts)}`;
  const why = code === '' ? reasonOf(error) : code;
  return `${where} cannot be reached (${why}). Check that it is running and that DATABASE_URL is correct.`;
}

function readUrl(url: string): UrlParts {
  const { host, username, pathname, searchParams } = new URL(url);
  return {
    place: host === '' ? (searchParams.get('host') ?? 'this machine') : host,
    user: username === '' ? 'the default user' : decodeURIComponent(username),
    database: decodeURIComponent(pathname.slice(1)),
  };
}

function reasonOf(error: unknown): string {
  return error instanceof Error && error.message !== '' ? error.message : 'no response';
}
