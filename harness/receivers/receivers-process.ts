// The integrators' receivers, in a separate process. Each restaurant has its own port. Every request is logged before
// it is answered, and the receiver's temper decides the response.
import type { IncomingMessage, ServerResponse } from 'node:http';
import * as https from 'node:https';
import { createChance, type Chance } from '../chance.ts';
import { listenOnLoopback } from './receiver.ts';
import { openHistory } from '../history.ts';
import { answerAsHostile } from './hostile-answers.ts';

export type Temper = 'good' | 'slow' | 'failing' | 'hostile';

export interface ReceiversSettings {
  file: string;
  certificate: { cert: string; key: string };
  seed: number;
  receivers: { name: string; temper: Temper }[];
  /** Minimum response time of a slow receiver. */
  slowMs?: number;
}

const settings = JSON.parse(process.env['WAYBILL_CHAOS_RECEIVERS'] ?? '') as ReceiversSettings;
// Long enough that some request to a slow receiver is always in flight.
const { slowMs = 250 } = settings;
const write = openHistory(settings.file);
const failuresByBody = new Map<string, number>();
let lastId = 0;

/** Unaffected by changes to the wall clock. */
function now(): number {
  return performance.timeOrigin + performance.now();
}

function answer(id: number, response: ServerResponse, status: number): void {
  write({ kind: 'answer', id, at: now(), status });
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ received: status < 300 }));
}

/** Most events fail at first, some of them several times. */
function answerAsFailing(chance: Chance, body: string): number {
  const left = failuresByBody.get(body) ?? chance.pick([0, 1, 1, 2, 2, 3, 4]);
  failuresByBody.set(body, left - 1);
  return left > 0 ? chance.pick([500, 503, 404, 301, 429]) : 200;
}

async function serve(
  message: IncomingMessage,
  response: ServerResponse,
  at: { receiver: string; temper: Temper; chance: Chance },
) {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks).toString('utf8');
  lastId += 1;
  const id = lastId;
  const signature = message.headers['x-service-signature'];
  const endpoint = (message.url ?? '').slice(1);
  const seen = { receiver: at.receiver, endpoint, signature: typeof signature === 'string' ? signature : null, body };
  write({ kind: 'request', id, at: now(), ...seen });
  const give = (status: number): void => answer(id, response, status);
  if (at.temper === 'failing') give(answerAsFailing(at.chance, body));
  else if (at.temper === 'hostile') answerAsHostile(at.chance, response, give);
  else setTimeout(() => give(200), at.temper === 'slow' ? slowMs + at.chance.below(slowMs) : at.chance.below(25));
}

const ports: Record<string, number> = {};
for (const [index, { name, temper }] of settings.receivers.entries()) {
  const chance = createChance(settings.seed + index);
  const server = https.createServer(settings.certificate, (message, response) => {
    // A request cut off because the sender died does not count as sent.
    serve(message, response, { receiver: name, temper, chance }).catch(() => undefined);
  });
  server.keepAliveTimeout = 30_000;
  ports[name] = await listenOnLoopback(server);
}
process.on('disconnect', () => process.exit(0));
process.send?.(ports);
