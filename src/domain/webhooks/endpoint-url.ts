// Checks the form of a webhook URL without DNS. Addresses are checked when connecting.

const MAX_URL_CHARACTERS = 2048;

// Names with a meaning on this machine or in a private network (`arpa` includes `home.arpa`). They are valid as text,
// but connected to only if every address they resolve to is in a network that the operator has allowed.
const SPECIAL_SUFFIXES = ['.localhost', '.local', '.internal', '.arpa', '.onion', '.test', '.example', '.invalid'];

/** The two forms in which a parsed URL contains an IP address, regardless of the input. */
const IP_ADDRESS = /^\[|^\d+\.\d+\.\d+\.\d+$/;

/** One dot-separated part of a name after IDNA; underscores are invalid in host names, but occur in practice. */
const LABEL = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;

export interface Endpoint {
  /** In normalized form. */
  url: string;
  hostname: string;
  port: number;
  /** Path and query, as in the request line. */
  path: string;
  isSpecial: boolean;
}

export type EndpointReading = { ok: true; endpoint: Endpoint } | { ok: false; message: string };

export function parseEndpointUrl(text: string): { ok: true; url: string } | { ok: false; message: string } {
  const reading = readEndpointUrl(text);
  return reading.ok ? { ok: true, url: reading.endpoint.url } : reading;
}

export function readEndpointUrl(text: string): EndpointReading {
  if (text.length > MAX_URL_CHARACTERS) return refusal(TOO_LONG);
  const url = URL.parse(text);
  if (url === null) return refusal('This is not a valid URL');
  if (url.protocol !== 'https:') return refusal('The URL must start with https://');
  if (url.username !== '' || url.password !== '') return refusal('The URL must not contain a user name or password');
  if (url.href.includes('#')) return refusal('The URL must not contain a fragment (#)');
  // A name with a final dot is the same host, but certificates and SNI omit the dot.
  if (url.hostname.endsWith('.')) url.hostname = url.hostname.slice(0, -1);
  if (IP_ADDRESS.test(url.hostname)) {
    return refusal('The URL must contain a host name, not an IP address');
  }
  if (!isHostName(url.hostname)) return refusal('The host name is not valid');
  const port = url.port === '' ? 443 : Number(url.port);
  if (port !== 443 && port < 1024) return refusal('The port must be 443 or from 1024 to 65535');
  if (url.href.length > MAX_URL_CHARACTERS) return refusal(TOO_LONG);
  const { href, hostname, pathname, search } = url;
  return {
    ok: true,
    endpoint: { url: href, hostname, port, path: pathname + search, isSpecial: isSpecialName(hostname) },
  };
}

/** Whether a name is local by definition; `hostname` is lower case, as in a parsed URL. */
export function isSpecialName(hostname: string): boolean {
  return !hostname.includes('.') || SPECIAL_SUFFIXES.some((suffix) => hostname.endsWith(suffix));
}

const TOO_LONG = `The URL must be at most ${MAX_URL_CHARACTERS} characters`;

function isHostName(hostname: string): boolean {
  return hostname.length <= 253 && hostname.split('.').every((label) => LABEL.test(label));
}

function refusal(message: string): EndpointReading & { ok: false } {
  return { ok: false, message };
}
