// Ways to break a node's sender on purpose, for controls: whoever checks a run has to notice each of them.
import type { Sender } from '../../src/webhooks/client/sender.ts';

export type Damage = 'forged' | 'altered' | 'early' | 'unsent' | 'invented' | 'stray';

type Send = Sender['send'];

export function damageSender(sender: Sender, damage: Damage): void {
  sender.send = WAYS[damage](sender.send.bind(sender));
}

/** Every so often, so that most of a run still looks right. */
function everyFifth(): () => boolean {
  let count = 0;
  return () => {
    count += 1;
    return count % 5 === 0;
  };
}

const WAYS: Record<Damage, (send: Send) => Send> = {
  /** Signed over other bytes than those that are sent. */
  forged: (send) => {
    const isTurn = everyFifth();
    return (request) => send(isTurn() ? { ...request, body: `${request.body.toString()} ` } : request);
  },
  /** Other bytes on each attempt. */
  altered: (send) => (request) => {
    const spaces = ' '.repeat(Math.floor(performance.now() % 50));
    return send({ ...request, body: request.body.toString().replace('{', `{${spaces}`) });
  },
  /** The wait is counted from long before the attempt ended. */
  early: (send) => async (request) => {
    const outcome = await send(request);
    return { ...outcome, endedAt: outcome.endedAt - 50_000 };
  },
  /** Counts as delivered and never left. */
  unsent: (send) => {
    const isTurn = everyFifth();
    return async (request) => {
      if (!isTurn()) return send(request);
      const outcome = await send({ ...request, mayBegin: () => false });
      return { ...outcome, ok: true, status: 200, errorClass: null, errorText: null };
    };
  },
  /** Tells of a state that was never committed. */
  invented: (send) => async (request) => {
    const body = request.body.toString();
    const invented = body.replace('"status":"ASSIGNED"', '"status":"PREPARED"');
    if (invented !== body) await send({ ...request, body: invented });
    return send(request);
  },
  /** One restaurant's news at another one's door. */
  stray: (send) => {
    const isTurn = everyFifth();
    let lastUrl = '';
    return async (request) => {
      if (isTurn() && lastUrl !== '') await send({ ...request, url: lastUrl });
      lastUrl = request.url;
      return send(request);
    };
  },
};
