// What clients and receivers saw, one line each, in files that are only ever added to. The service knows nothing of
// them; the checks read them when everything is over.
import { openSync, readFileSync, writeSync } from 'node:fs';

export type ClientLine =
  | { kind: 'placed'; restaurant: string; orderId: string; serviceOrderId: string }
  | { kind: 'changed'; serviceOrderId: string; to: string }
  | { kind: 'complaint'; text: string };

/** A request as it came, or what it was answered with. */
export type ReceiverLine =
  | { kind: 'request'; id: number; at: number; door: string; endpoint: string; signature: string | null; body: string }
  | { kind: 'answer'; id: number; at: number; status: number };

export function openHistory(file: string): (line: ClientLine | ReceiverLine) => void {
  const descriptor = openSync(file, 'a');
  // Written before anybody can be told of it.
  return (line) => void writeSync(descriptor, `${JSON.stringify(line)}\n`);
}

export function readHistory<Line extends ClientLine | ReceiverLine>(file: string): Line[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Line);
}
