// Lets the courier's page open without a connection: the files it is made of are fetched beforehand, and the last
// answers about the session and the work are kept for the tunnel. Built into /sw.js, with the list of files in it.

/** What of a service worker is used here; the panel's other files are compiled for pages. */
interface Scope {
  addEventListener(name: 'install' | 'activate', listener: (event: Lasting) => void): void;
  addEventListener(name: 'fetch', listener: (event: Fetching) => void): void;
  skipWaiting(): Promise<void>;
  clients: { claim(): Promise<void> };
  location: Location;
}
interface Lasting {
  waitUntil(done: Promise<unknown>): void;
}
interface Fetching extends Lasting {
  request: Request;
  respondWith(answer: Promise<Response>): void;
}

declare const self: Scope;
/** Filled in when the panel is built. */
declare const SHELL_FILES: readonly string[];
declare const SHELL_VERSION: string;

const SHELL = `waybill-shell-${SHELL_VERSION}`;
const ANSWERS = 'waybill-answers';
const PAGE = '/';
const SESSION = '/api/session';
const WORK = '/api/courier/work';
/** On a connection that neither works nor fails, the page that is here is better than waiting for it. */
const PAGE_PATIENCE_MS = 4_000;
const ANSWER_PATIENCE_MS = 8_000;

self.addEventListener('install', (event) => {
  const fill = async (): Promise<void> => {
    const cache = await caches.open(SHELL);
    await cache.addAll([PAGE, ...SHELL_FILES]);
    await self.skipWaiting();
  };
  event.waitUntil(fill());
});

self.addEventListener('activate', (event) => {
  const tidy = async (): Promise<void> => {
    const names = await caches.keys();
    await Promise.all(names.filter((name) => name !== SHELL && name !== ANSWERS).map((name) => caches.delete(name)));
    await self.clients.claim();
    // The page that brought this worker asked before it could listen.
    await askAndKeep(new Request(SESSION), keepSession);
    await askAndKeep(new Request(WORK), keepWork);
  };
  event.waitUntil(tidy());
});

self.addEventListener('fetch', (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (origin !== self.location.origin) return;
  if (request.mode === 'navigate') event.respondWith(openPage(request));
  else if (request.method === 'GET' && pathname === SESSION) event.respondWith(askAndKeep(request, keepSession));
  else if (request.method === 'GET' && pathname === WORK) event.respondWith(askAndKeep(request, keepWork));
  else if (pathname.startsWith(SESSION)) event.respondWith(changeSession(request));
  else if (request.method === 'GET' && !pathname.startsWith('/api/')) event.respondWith(fetchFile(request));
});

async function openPage(request: Request): Promise<Response> {
  try {
    const answer = await fetch(request, { signal: AbortSignal.timeout(PAGE_PATIENCE_MS) });
    if (answer.status < 500) return answer;
  } catch {
    // The kept page is next.
  }
  return (await caches.match(PAGE)) ?? Response.error();
}

/** Files of the build have a hash in their name and never change; the others are asked for first. */
async function fetchFile(request: Request): Promise<Response> {
  const isLasting = new URL(request.url).pathname.startsWith('/assets/');
  const kept = await caches.match(request);
  if (isLasting && kept !== undefined) return kept;
  if (kept === undefined) return fetch(request);
  return fetch(request).catch(() => kept);
}

async function askAndKeep(request: Request, keep: (answer: Response) => Promise<void>): Promise<Response> {
  const answer = await fetch(request, { signal: AbortSignal.timeout(ANSWER_PATIENCE_MS) }).catch(() => undefined);
  if (answer === undefined) {
    const cache = await caches.open(ANSWERS);
    return (await cache.match(new URL(request.url).pathname)) ?? Response.error();
  }
  await keep(answer.clone());
  return answer;
}

/** Only a courier's: nobody else's page works without a connection. */
async function keepSession(answer: Response): Promise<void> {
  if (!answer.ok) return;
  const content: { session: { role: string } | null } = await answer.clone().json();
  if (content.session?.role !== 'courier') await caches.delete(ANSWERS);
  else await (await caches.open(ANSWERS)).put(SESSION, answer);
}

/** Beside the session that it belongs to: an answer that was on its way when somebody signed out is not kept. */
async function keepWork(answer: Response): Promise<void> {
  if (!answer.ok) return;
  const work: object = await answer.json();
  const cache = await caches.open(ANSWERS);
  const session = await cache.match(SESSION);
  if (session !== undefined) await cache.put(WORK, Response.json({ ...work, isKept: true }));
}

/** Whoever signs in or out leaves nothing behind for the next one. */
async function changeSession(request: Request): Promise<Response> {
  const answer = await fetch(request);
  if (answer.ok) await caches.delete(ANSWERS);
  return answer;
}
