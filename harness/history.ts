// Append-only logs of what clients and receivers saw, one line each. The service does not know about them; the checks
// read them after the run.
import { openSync, readFileSync, writeSync } from 'node:fs';

export type ClientLine =
  | { kind: 'placed'; restaurant: string; orderId: string; serviceOrderId: string }
  | { kind: 'changed'; serviceOrderId: string; to: string }
  | { kind: 'complaint'; text: string };

/** A request as received, or the response to it. */
export type ReceiverLine =
  | {
      kind: 'request';
      id: number;
      at: number;
      receiver: string;
      endpoint: string;
      signature: string | null;
      body: string;
    }
  | { kind: 'answer'; id: number; at: number; status: number };

export function openHistory(file: string): (line: ClientLine | ReceiverLine) => void {
  const descriptor = openSync(file, 'a');
  // Synchronous, so that the line is on file before anyone can act on what it says.
  return (line) => void writeSync(descriptor, `${JSON.stringify(line)}\n`);
}

export function readHistory<Line extends ClientLine | ReceiverLine>(file: string): Line[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Line);
}
