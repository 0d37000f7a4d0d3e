// Why a database could not be connected to, in one sentence for whoever wrote its address.

const REFUSALS: Readonly<Record<string, (parts: UrlParts) => string>> = {
  '28P01': ({ user }) => `It does not accept the password of ${user}`,
  '28000': ({ user }) => `It does not let ${user} in`,
  '3D000': ({ database }) => `It has no database ${JSON.stringify(database)}; create it`,
  '53300': () => 'It has no connection to spare',
};

interface UrlParts {
  place: string;
  user: string;
  database: string;
}

/** Never the password, and nothing else that stands in the address besides where it leads. */
export function describeConnectFailure(error: unknown, url: string): string {
  const parts = readUrl(url);
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const refusal = REFUSALS[code];
  const where = `The database at ${parts.place}`;
  if (refusal !== undefined) return `${where} refused the connection. ${refusal(parts)}, or correct DATABASE_URL.`;
  const why = code === '' ? reasonOf(error) : code;
  return `${where} cannot be reached (${why}). Check that it is running and that DATABASE_URL is right.`;
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
  return error instanceof Error && error.message !== '' ? error.message : 'no answer';
}
