// Reads /api/live like a browser's EventSource: keeps the events and the ID from which it would resume.
import { request } from 'node:http';
import { expect } from 'vitest';

export interface LiveEventLog {
  status: number;
  events: { name: string; data: { orders?: { id: string; version: number; state: string; isNew: boolean }[] } }[];
  lastEventId: string | undefined;
  hasEnded: boolean;
  /** Waits for an event. */
  until(isSo: (log: LiveEventLog) => boolean): Promise<void>;
  close(): void;
}

export function openLiveEvents(
  address: string,
  client: { cookie: string; lastEventId?: string | undefined },
): Promise<LiveEventLog> {
  const { cookie, lastEventId } = client;
  const headers = { cookie, ...(lastEventId !== undefined && { 'last-event-id': lastEventId }) };
  return new Promise((resolve, reject) => {
    const asked = request(`${address}/api/live`, { headers }, (response) => {
      const log: LiveEventLog = {
        status: response.statusCode ?? 0,
        events: [],
        lastEventId,
        hasEnded: false,
        until: async (isSo) => {
          await expect.poll(() => isSo(log), { timeout: 10_000, interval: 20 }).toBe(true);
        },
        close: () => asked.destroy(),
      };
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        const messages = (text + chunk).split('\n\n');
        text = messages.pop() ?? '';
        for (const message of messages) take(log, message);
      });
      response.on('close', () => {
        log.hasEnded = true;
      });
      response.on('error', () => undefined);
      resolve(log);
    });
    asked.on('error', reject).end();
  });
}

function take(log: LiveEventLog, message: string): void {
  const fields = new Map(
    message.split('\n').map((line): [string, string] => {
      const colon = line.indexOf(': ');
      return [line.slice(0, colon), line.slice(colon + 2)];
    }),
  );
  log.lastEventId = fields.get('id') ?? log.lastEventId;
  const data = fields.get('data');
  if (data !== undefined) log.events.push({ name: fields.get('event') ?? 'message', data: JSON.parse(data) });
}
