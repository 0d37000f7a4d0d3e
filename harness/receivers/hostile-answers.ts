// A hostile receiver: each request gets a random kind of failure, and occasionally a proper response.
import type { ServerResponse } from 'node:http';
import type { Chance } from '../chance.ts';

type Give = (status: number) => void;
type Trouble = (response: ServerResponse, give: Give) => void;

/** `give` records the response in the history; every other behavior is a failure to the sender. */
const TROUBLES: readonly Trouble[] = [
  (_, give) => give(200),
  (_, give) => give(204),
  (_, give) => setTimeout(() => give(200), 4_500),
  // Past the sender's five-second timeout.
  (_, give) => setTimeout(() => give(500), 5_300),
  // No response at all.
  () => {},
  (response) => response.socket?.destroy(),
  (response) => {
    response.socket?.end();
  },
  (response) => response.writeHead(302, { location: 'https://localhost:1/elsewhere' }).end(),
  (response) => response.writeHead(429, { 'retry-after': '-1' }).end('slow down'),
  (response) => response.writeHead(410).end(),
  // A response head that never ends.
  (response) => drip(response, () => response.socket?.write('x-more: 1\r\n'), 'HTTP/1.1 500 No\r\n'),
  (response) => drip(response, () => response.socket?.write('HTTP/1.1 103 Early Hints\r\n\r\n'), ''),
  (response) => response.socket?.write('this is not HTTP at all\r\n\r\n'),
  // An endless body after the status was sent.
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
