// Deliberate faults in a node's sender, for controls: the checks of a run must detect each of them.
import type { Sender } from '../../src/webhooks/client/sender.ts';

export type Damage = 'forged' | 'altered' | 'early' | 'unsent' | 'invented' | 'stray';

type Send = Sender['send'];

export function damageSender(sender: Sender, damage: Damage): void {
  sender.send = WAYS[damage](sender.send.bind(sender));
}

/** Applies a fault to every fifth request, so that most of a run still looks right. */
function everyFifth(): () => boolean {
  let count = 0;
  return () => {
    count += 1;
    return count % 5 === 0;
  };
}

const WAYS: Record<Damage, (send: Send) => Send> = {
  /** The signature covers different bytes than the body that is sent. */
  forged: (send) => {
    const isTurn = everyFifth();
    return (request) => send(isTurn() ? { ...request, body: `${request.body.toString()} ` } : request);
  },
  /** Each attempt sends different bytes. */
  altered: (send) => (request) => {
    const spaces = ' '.repeat(Math.floor(performance.now() % 50));
    return send({ ...request, body: request.body.toString().replace('{', `{${spaces}`) });
  },
  /** The retry wait is counted from 50 seconds before the attempt ended. */
  early: (send) => async (request) => {
    const outcome = await send(request);
    return { ...outcome, endedAt: outcome.endedAt - 50_000 };
  },
  /** Recorded as delivered without being sent. */
  unsent: (send) => {
    const isTurn = everyFifth();
    return async (request) => {
      if (!isTurn()) return send(request);
      const outcome = await send({ ...request, mayBegin: () => false });
      return { ...outcome, ok: true, status: 200, errorClass: null, errorText: null };
    };
  },
  /** Sends a state that was never committed. */
  invented: (send) => async (request) => {
    const body = request.body.toString();
    const invented = body.replace('"status":"ASSIGNED"', '"status":"PREPARED"');
    if (invented !== body) await send({ ...request, body: invented });
    return send(request);
  },
  /** Sends one restaurant's event to another restaurant's endpoint. */
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
