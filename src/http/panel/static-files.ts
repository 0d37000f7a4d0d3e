// Serves the pages as `vite build` wrote them to panel/dist. URLs that are not files get the application, which decides
// in the browser what to show.
import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { refuse, refused } from '../../domain/refusals.ts';
import { sendAnswer } from '../protocol/answer.ts';
import { pageHeaders } from './security-headers.ts';

export interface PanelFiles {
  routes: { method: 'GET'; url: string; handler(request: FastifyRequest, reply: FastifyReply): FastifyReply }[];
}

interface StoredFile {
  changedMs: number;
  etag: string;
  type: string;
  bodies: { plain: Buffer; br: Buffer | undefined; gzip: Buffer | undefined };
}

export const PANEL_FOLDER = path.join(import.meta.dirname, '..', '..', '..', 'panel', 'dist');
const NOT_BUILT = path.join(import.meta.dirname, '..', 'live', 'browser', 'closed.html');

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.webp': 'image/webp',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.mp3': 'audio/mpeg',
  '.wav': 'audio/wav',
  '.txt': 'text/plain; charset=utf-8',
};

/** No part begins with a dot, so a name never refers to a hidden file or to anything outside the folder. */
const FILE_NAME = /^(?:[\w@-][\w@.-]*\/)*[\w@-][\w@.-]*$/;
/** Paths for programs never get a page as an answer. */
const OF_PROGRAMS = /^(?:api|webhook|live)(?:\/|$)/;
/** Vite puts a hash into these names: changed content has a new name. */
const HASHED = /^assets\//;

/** `mapStyleUrl`: where maps load their style and its resources. */
export function createPanelFiles(folder: string, mapStyleUrl: string | null = null): PanelFiles {
  const headers = pageHeaders(mapStyleUrl === null ? null : new URL(mapStyleUrl).origin);
  const known = new Map<string, StoredFile>();

  function load(file: string): StoredFile | undefined {
    const changedMs = changeTime(file);
    if (changedMs === undefined) return undefined;
    const stored = known.get(file);
    if (stored?.changedMs === changedMs) return stored;
    const plain = readFileSync(file);
    const fresh: StoredFile = {
      changedMs,
      etag: `"${createHash('sha256').update(plain).digest('base64url').slice(0, 22)}"`,
      type: TYPES[path.extname(file)] ?? 'application/octet-stream',
      bodies: { plain, br: readIfThere(`${file}.br`), gzip: readIfThere(`${file}.gz`) },
    };
    known.set(file, fresh);
    return fresh;
  }

  function find(name: string, request: FastifyRequest): StoredFile | undefined {
    if (OF_PROGRAMS.test(name)) return undefined;
    const file = FILE_NAME.test(name) ? load(path.join(folder, name)) : undefined;
    if (file !== undefined || HASHED.test(name)) return file;
    const isPage = name === '' || request.headers.accept?.includes('text/html') === true;
    return isPage ? (load(path.join(folder, 'index.html')) ?? load(NOT_BUILT)) : undefined;
  }

  const handler = (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const [address = ''] = request.url.split('?');
    const name = decodeURIComponent(address).slice(1);
    const file = find(name, request);
    if (file !== undefined) return sendFile(request, reply, { file, headers, isForEver: HASHED.test(name) });
    sendAnswer(request, reply, refused(refuse('REQ_005')));
    return reply;
  };
  return {
    routes: [
      { method: 'GET', url: '/', handler },
      { method: 'GET', url: '/*', handler },
    ],
  };
}

function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  { file, headers, isForEver }: { file: StoredFile; headers: Record<string, string>; isForEver: boolean },
): FastifyReply {
  reply
    .headers(headers)
    .header('cache-control', isForEver ? 'public, max-age=31536000, immutable' : 'no-cache')
    .header('vary', 'accept-encoding')
    .header('etag', file.etag);
  if (request.headers['if-none-match'] === file.etag) return reply.code(304).send();
  const accepted = request.headers['accept-encoding'] ?? '';
  const encoding = (['br', 'gzip'] as const).find((name) => accepted.includes(name) && file.bodies[name] !== undefined);
  if (encoding !== undefined) reply.header('content-encoding', encoding);
  return reply.header('content-type', file.type).send(file.bodies[encoding ?? 'plain']);
}

function changeTime(file: string): number | undefined {
  const stat = statSync(file, { throwIfNoEntry: false });
  return stat?.isFile() === true ? stat.mtimeMs : undefined;
}

function readIfThere(file: string): Buffer | undefined {
  return changeTime(file) === undefined ? undefined : readFileSync(file);
}
