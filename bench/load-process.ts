// The load generator of the intake: as fast as it goes with a fixed number of connections (closed loop), or at a
// fixed rate whatever the answers do (open loop).
import autocannon from 'autocannon';
import { Pool } from 'undici';
import { answerParent } from './commands.ts';
import { monotonicMs } from './monotonic.ts';
import { atRate } from './open-loop.ts';
import { ID_PLACE, nextOrderId } from './orders.ts';
import { percentile } from './statistics.ts';

export interface Load {
  /** Origin of the server. */
  address: string;
  path: string;
  headers: Record<string, string>;
  /** With `ID_PLACE` where each request has an id of its own. */
  body: string;
  seconds: number;
}

export interface ClosedLoad extends Load {
  connections: number;
}

export interface OpenLoad extends Load {
  ratePerSecond: number;
  mostConnections: number;
}

const commands = {
  async closed(load: ClosedLoad): Promise<{ answered: number; ratePerSecond: number }> {
    const [head = '', tail = ''] = load.body.split(ID_PLACE);
    const result = await autocannon({
      url: `${load.address}${load.path}`,
      connections: load.connections,
      duration: load.seconds,
      method: 'POST',
      headers: load.headers,
      requests: [{ setupRequest: (request) => ({ ...request, body: head + nextOrderId() + tail }) }],
    });
    const { errors, timeouts, non2xx } = result;
    if (errors + timeouts + non2xx > 0) {
      throw new Error(`${errors} connections broke, ${timeouts} answers were late, ${non2xx} were not 2xx`);
    }
    return { answered: result['2xx'], ratePerSecond: result['2xx'] / result.duration };
  },

  async open(load: OpenLoad): Promise<{ p50Ms: number; p99Ms: number }> {
    const pool = new Pool(load.address, { connections: load.mostConnections });
    const [head = '', tail = ''] = load.body.split(ID_PLACE);
    const count = Math.floor(load.ratePerSecond * load.seconds);
    const latenciesMs = new Float64Array(count);
    const send = async (index: number, intendedAtMs: number): Promise<void> => {
      const body = head + nextOrderId() + tail;
      const answer = await pool.request({ path: load.path, method: 'POST', headers: load.headers, body });
      await answer.body.arrayBuffer();
      if (answer.statusCode < 200 || answer.statusCode > 299) throw new Error(`answered with ${answer.statusCode}`);
      // From when it should have been sent: a server that makes the generator wait must not look faster for it.
      latenciesMs[index] = monotonicMs() - intendedAtMs;
    };
    await atRate(load.ratePerSecond, count, send);
    await pool.close();
    return { p50Ms: percentile(latenciesMs, 0.5), p99Ms: percentile(latenciesMs, 0.99) };
  },
};

export type LoadCommands = typeof commands;

answerParent(commands);
