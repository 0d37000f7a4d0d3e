// Reads DATABASE_URL as libpq does, including what node-postgres does not support: several servers, and settings of the
// session. Settings are applied after connecting, because a pooler refuses or ignores them as startup parameters.

export interface DatabaseServer {
  /** A URL of this server alone, as node-postgres reads it. */
  url: string;
  /** For messages: host and port, or the folder of a socket. */
  place: string;
}

export interface DatabaseUrl {
  /** In the order in which they are tried; at least one. */
  servers: readonly DatabaseServer[];
  /** A server that accepts no writes is not used. */
  mustBeWritable: boolean;
  /** Settings of each session. */
  session: Readonly<Record<string, string>>;
}

export class DatabaseUrlError extends Error {
  override name = 'DatabaseUrlError';
}

const PARTS = /^(postgres(?:ql)?:\/\/)(?:([^/?#]*)@)?([^/?#]*)([^?#]*)(?:\?([^#]*))?$/;
/** Session settings that node-postgres would send as startup parameters. */
const SESSION_PARAMETERS = ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout'];
/** Every connection is named after its purpose. */
const NAMES = ['application_name', 'fallback_application_name'];
const TARGETS: Readonly<Record<string, boolean>> = { any: false, 'read-write': true, primary: true };

/** Throws a `DatabaseUrlError` that continues the name of the setting. */
export function readDatabaseUrl(text: string): DatabaseUrl {
  const [, scheme, login, authority = '', path = '', query = ''] = PARTS.exec(text) ?? [];
  if (scheme === undefined) throw new DatabaseUrlError('must look like postgresql://user:password@host:5432/name.');
  const parameters = new URLSearchParams(query);
  const session = takeSession(parameters);
  const target = take(parameters, 'target_session_attrs') ?? 'any';
  const isWritable = TARGETS[target];
  if (isWritable === undefined) {
    throw new DatabaseUrlError('must have target_session_attrs=read-write, primary or any: Waybill writes.');
  }
  for (const name of NAMES) parameters.delete(name);
  const start = `${scheme}${login === undefined ? '' : `${login}@`}`;
  const servers = listPlaces(authority, parameters).map(({ place, authorityOfOne, own }) => {
    const ownParameters = new URLSearchParams([...parameters, ...own]).toString();
    const url = `${start}${authorityOfOne}${path}${ownParameters === '' ? '' : `?${ownParameters}`}`;
    if (!URL.canParse(url)) throw new DatabaseUrlError(`names the server ${JSON.stringify(place)}, which is invalid.`);
    return { url, place };
  });
  // With several servers, one that only reads is never the right one.
  return { servers, mustBeWritable: isWritable || servers.length > 1, session };
}

interface Place {
  place: string;
  authorityOfOne: string;
  /** Query parameters of this server alone. */
  own: [string, string][];
}

/** Parameters named host and port take precedence over the host before the path, as in libpq. */
function listPlaces(authority: string, parameters: URLSearchParams): Place[] {
  const hosts = take(parameters, 'host')?.split(',');
  const ports = take(parameters, 'port')?.split(',');
  const authorities = authority.split(',');
  const count = hosts?.length ?? authorities.length;
  if (ports !== undefined && ports.length !== 1 && ports.length !== count) {
    throw new DatabaseUrlError(`lists ${count} hosts and ${ports.length} ports; give one port, or one for each host.`);
  }
  return Array.from({ length: count }, (_, index) => {
    const host = hosts?.[index];
    const port = ports?.[index] ?? ports?.[0];
    const authorityOfOne = (hosts === undefined ? authorities[index] : authorities[0]) ?? '';
    const own: [string, string][] = [];
    if (host !== undefined) own.push(['host', host]);
    if (port !== undefined) own.push(['port', port]);
    return { place: nameOf(host ?? authorityOfOne, port), authorityOfOne, own };
  });
}

function nameOf(host: string, port: string | undefined): string {
  if (host === '') return 'this machine';
  const isSocket = host.startsWith('/') || host.startsWith('%2F');
  return port === undefined || isSocket || /:\d+$/.test(host) ? decodeURIComponent(host) : `${host}:${port}`;
}

function takeSession(parameters: URLSearchParams): Record<string, string> {
  const given = SESSION_PARAMETERS.flatMap((name): [string, string][] => {
    const value = take(parameters, name);
    return value === undefined ? [] : [[name, value]];
  });
  return { ...readOptions(take(parameters, 'options') ?? ''), ...Object.fromEntries(given) };
}

/** `-c name=value -cname=value --name=value`; a backslash escapes a blank. */
function readOptions(options: string): Record<string, string> {
  const words = [...options.matchAll(/(?:\\.|[^\s\\])+/g)].map(([word]) => word.replaceAll(/\\(.)/g, '$1'));
  const settings = words.join(' ').split(/(?:^|\s)(?:-c\s*|--)(?=[\w.-]+=)/);
  const [before = '', ...given] = settings;
  if (before.trim() !== '') {
    throw new DatabaseUrlError(`must have options such as "-c name=value", not ${JSON.stringify(options)}.`);
  }
  return Object.fromEntries(
    given.map((setting) => {
      const at = setting.indexOf('=');
      return [setting.slice(0, at).replaceAll('-', '_'), setting.slice(at + 1)];
    }),
  );
}

function take(parameters: URLSearchParams, name: string): string | undefined {
  const value = parameters.get(name) ?? undefined;
  parameters.delete(name);
  return value;
}
