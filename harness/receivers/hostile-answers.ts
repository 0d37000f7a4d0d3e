// A receiver in a bad mood: each request meets another way to make trouble, and now and then a decent answer.
import type { ServerResponse } from 'node:http';
import type { Chance } from '../chance.ts';

type Give = (status: number) => void;
type Trouble = (response: ServerResponse, give: Give) => void;

/** Whatever is given counts as answered; everything else is a failure in the sender's eyes. */
const TROUBLES: readonly Trouble[] = [
  (_, give) => give(200),
  (_, give) => give(204),
  (_, give) => setTimeout(() => give(200), 4_500),
  // Too late: the sender has given up by then.
  (_, give) => setTimeout(() => give(500), 5_300),
  // Never.
  () => {},
  (response) => response.socket?.destroy(),
  (response) => {
    response.socket?.end();
  },
  (response) => response.writeHead(302, { location: 'https://localhost:1/elsewhere' }).end(),
  (response) => response.writeHead(429, { 'retry-after': '-1' }).end('slow down'),
  (response) => response.writeHead(410).end(),
  // A head that never ends.
  (response) => drip(response, () => response.socket?.write('x-more: 1\r\n'), 'HTTP/1.1 500 No\r\n'),
  (response) => drip(response, () => response.socket?.write('HTTP/1.1 103 Early Hints\r\n\r\n'), ''),
  (response) => response.socket?.write('this is not HTTP at all\r\n\r\n'),
  // A body without an end; the status has been said already.
  (response) => {
    response.writeHead(503);
    drip(response, () => response.write('.'), '');
  },
];

export function answerAsHostile(chance: Chance, response: ServerResponse, give: Give): void {
  chance.pick(TROUBLES)(response, give);
}

function drip(response: ServerResponse, write: () => void, first: string): void {
  if (first !== '') response.socket?.write(first);
  const timer = setInterval(write, 300);
  response.socket?.once('close', () => clearInterval(timer));
}
