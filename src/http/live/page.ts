// The demo page at `/demo`: shows every order and every webhook live, without signing in. Outside the demo only its
// style and icon are served, for the page that is shown if the panel is not built.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { refuse, refused } from '../../domain/refusals.ts';
import { sendAnswer } from '../protocol/answer.ts';
import { LiveStream, type LiveSource, type LiveStreamDeps } from './stream.ts';
import { STREAM_HEADERS } from '../protocol/event-streams.ts';

interface PageRoute {
  method: 'GET';
  url: string;
  handler(this: void, request: FastifyRequest, reply: FastifyReply): FastifyReply;
}

export interface LivePage {
  routes: PageRoute[];
  /** Ends open streams, so that the server can close. */
  close(): void;
}

const CONTENT_SECURITY_POLICY = [
  "default-src 'self'",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const HTML = 'text/html; charset=utf-8';
const CSS = 'text/css; charset=utf-8';
const JAVASCRIPT = 'text/javascript; charset=utf-8';

export function createLivePage(deps: LiveStreamDeps & { live: LiveSource | undefined }): LivePage {
  const shared = [
    serveFile('/live/page.css', 'page.css', CSS),
    serveFile('/live/icon.svg', 'icon.svg', 'image/svg+xml'),
  ];
  if (deps.live === undefined) {
    return { routes: shared, close: () => undefined };
  }
  const stream = new LiveStream(deps, deps.live);
  return {
    routes: [
      serveFile('/demo', 'page.html', HTML),
      ...shared,
      serveFile('/live/page.js', 'page.js', JAVASCRIPT),
      serveFile('/live/elements.js', 'elements.js', JAVASCRIPT),
      { method: 'GET', url: '/live/stream', handler: (request, reply) => serveStream(stream, request, reply) },
    ],
    close: () => stream.close(),
  };
}

function serveStream(stream: LiveStream, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const page = stream.open();
  if (page === undefined) {
    sendAnswer(request, reply, refused(refuse('SRV_001')));
    return reply;
  }
  return reply.headers(STREAM_HEADERS).send(page);
}

function serveFile(url: string, name: string, type: string): PageRoute {
  let content: Buffer | undefined;
  return {
    method: 'GET',
    url,
    handler(_request, reply) {
      content ??= readFileSync(path.join(import.meta.dirname, 'browser', name));
      return reply
        .header('content-type', type)
        .header('content-security-policy', CONTENT_SECURITY_POLICY)
        .header('x-content-type-options', 'nosniff')
        .header('referrer-policy', 'no-referrer')
        .header('cache-control', 'no-cache')
        .send(content);
    },
  };
}
