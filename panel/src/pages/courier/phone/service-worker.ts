// Makes the courier's page work offline: prefetches its files and caches the last session and work responses. Built
// into /sw.js together with the list of files.

/** The service worker types used here; the panel's other files are compiled for pages. */
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
/** Defined at build time. */
declare const SHELL_FILES: readonly string[];
declare const SHELL_VERSION: string;
declare const API_ROOT: string;
declare const SESSION: string;
declare const WORK: string;

const SHELL = `waybill-shell-${SHELL_VERSION}`;
const ANSWERS = 'waybill-answers';
const PAGE = '/';
/** On a stalled connection, the cached page is better than waiting. */
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
    // The page that registered this worker made its first requests before the worker could cache them.
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
  else if (request.method === 'GET' && !pathname.startsWith(API_ROOT)) event.respondWith(fetchFile(request));
});

async function openPage(request: Request): Promise<Response> {
  try {
    const answer = await fetch(request, { signal: AbortSignal.timeout(PAGE_PATIENCE_MS) });
    if (answer.status < 500) return answer;
  } catch {
    // Falls back to the cached page.
  }
  return (await caches.match(PAGE)) ?? Response.error();
}

/** Built files have a hash in their name and never change; others come from the network first. */
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

/** Only couriers' sessions: no other page works offline. */
async function keepSession(answer: Response): Promise<void> {
  if (!answer.ok) return;
  const content: { session: { role: string } | null } = await answer.clone().json();
  if (content.session?.role !== 'courier') await caches.delete(ANSWERS);
  else await (await caches.open(ANSWERS)).put(SESSION, answer);
}

/** Only with a cached session: a response that arrives after sign-out must not be cached. */
async function keepWork(answer: Response): Promise<void> {
  if (!answer.ok) return;
  const work: object = await answer.json();
  const cache = await caches.open(ANSWERS);
  const session = await cache.match(SESSION);
  if (session !== undefined) await cache.put(WORK, Response.json({ ...work, isKept: true }));
}

/** Signing in or out clears the previous user's cached data. */
async function changeSession(request: Request): Promise<Response> {
  const answer = await fetch(request);
  if (answer.ok) await caches.delete(ANSWERS);
  return answer;
}
