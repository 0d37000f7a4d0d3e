// Load generator for the intake: maximum speed with a fixed number of connections (closed loop), or a fixed rate
// regardless of the responses (open loop).
import autocannon from 'autocannon';
import { answerParent } from './messages.ts';
import { monotonicMs } from '../../harness/measure/monotonic.ts';
import { atRate } from './open-loop.ts';
import { ID_PLACE, nextOrderId, type Load } from './orders.ts';
import { createPoster } from './poster.ts';
import { StolenTime } from '../../harness/measure/stolen-time.ts';

export interface ClosedLoad extends Load {
  connections: number;
}

export interface OpenLoad extends Load {
  ratePerSecond: number;
  maxConnections: number;
}

export interface SentOrder {
  /** The service's order id, from its response. */
  serviceOrderId: string;
  intendedAtMs: number;
}

const commands = {
  async closed(load: ClosedLoad): Promise<{ answered: number; ratePerSecond: number }> {
    const result = await runLoad(load, { duration: load.seconds });
    return { answered: result['2xx'], ratePerSecond: result['2xx'] / result.duration };
  },

  /** Reads at maximum speed. Non-2xx responses are counted, and do not fail the measurement. */
  async read({
    address,
    path,
    headers,
    connections,
    seconds,
  }: Omit<ClosedLoad, 'body'>): Promise<{ answered: number; refused: number }> {
    const url = `${address}${path}`;
    const result = await autocannon({ url, headers, connections, duration: seconds });
    return { answered: result['2xx'], refused: result.non2xx };
  },

  /** Sends exactly `count` requests at maximum speed. */
  async counted(load: Omit<ClosedLoad, 'seconds'> & { count: number }): Promise<{ startedAtMs: number }> {
    const startedAtMs = monotonicMs();
    await runLoad(load, { amount: load.count });
    return { startedAtMs };
  },

  /** Latencies in milliseconds of the requests without stolen time. */
  async open(load: OpenLoad): Promise<Float64Array> {
    const stolen = new StolenTime();
    const answered: [intendedAtMs: number, endedAtMs: number][] = [];
    stolen.start();
    await sendAtRate(load, (_index, { intendedAtMs }) => answered.push([intendedAtMs, monotonicMs()]));
    stolen.stop();
    // Measured from the intended start: a server that delays the generator must not look faster because of it.
    return Float64Array.from(
      answered.filter(([fromMs, toMs]) => stolen.isUndisturbed(fromMs, toMs)),
      ([fromMs, toMs]) => toMs - fromMs,
    );
  },

  /** Like `open`, but returns the sent orders, for measuring until each order's webhook arrives. */
  async openTraced(load: OpenLoad): Promise<SentOrder[]> {
    const sent: SentOrder[] = [];
    await sendAtRate(load, (index, { intendedAtMs, answer }) => {
      const { serviceOrderId } = JSON.parse(answer) as { serviceOrderId: string };
      sent[index] = { serviceOrderId, intendedAtMs };
    });
    return sent;
  },
};

async function runLoad(
  load: Omit<ClosedLoad, 'seconds'>,
  extent: { duration: number } | { amount: number },
): Promise<autocannon.Result> {
  const [head = '', tail = ''] = load.body.split(ID_PLACE);
  const result = await autocannon({
    url: `${load.address}${load.path}`,
    connections: load.connections,
    ...extent,
    method: 'POST',
    headers: load.headers,
    requests: [{ setupRequest: (request) => ({ ...request, body: head + nextOrderId() + tail }) }],
  });
  const { errors, timeouts, non2xx } = result;
  if (errors + timeouts + non2xx > 0) {
    throw new Error(`${errors} connections failed, ${timeouts} requests timed out, ${non2xx} responses were not 2xx`);
  }
  return result;
}

async function sendAtRate(
  load: OpenLoad,
  onAnswer: (index: number, sent: { intendedAtMs: number; answer: string }) => void,
): Promise<void> {
  const poster = createPoster(load);
  const [head = '', tail = ''] = load.body.split(ID_PLACE);
  const send = async (index: number, intendedAtMs: number): Promise<void> => {
    const { statusCode, text } = await poster.post(head + nextOrderId() + tail);
    if (statusCode < 200 || statusCode > 299) throw new Error(`unexpected status ${statusCode}`);
    onAnswer(index, { intendedAtMs, answer: text });
  };
  await atRate(load.ratePerSecond, Math.floor(load.ratePerSecond * load.seconds), send);
  poster.close();
}

export type LoadCommands = typeof commands;

answerParent(commands);
