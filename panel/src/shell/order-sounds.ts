// Plays a tone for new and canceled orders on every page of the restaurant.
import { useCallback, useEffect } from 'react';
import { liveOrders } from '../../../src/contract/panel/live.ts';
import { useLiveEvent } from '../api/live/live.ts';
import { keepSoundAwake, playTone } from '../ui/sound.ts';

/** Events already announced: the stream may repeat an order without a change. */
const MAX_REMEMBERED = 2000;
const heard = new Set<string>();

export function useOrderSounds(): void {
  useEffect(keepSoundAwake, []);
  const hear = useCallback((data: unknown) => {
    const { orders } = liveOrders.parse(data);
    const canceled = orders.filter(({ id, state }) => state === 'CANCELED' && remember(`${id} canceled`));
    const arrived = orders.filter(({ id, isNew }) => isNew && remember(`${id} new`));
    if (canceled.length > 0) playTone('canceled');
    else if (arrived.length > 0) playTone('new');
  }, []);
  useLiveEvent('orders', hear);
}

function remember(key: string): boolean {
  if (heard.has(key)) return false;
  heard.add(key);
  const [oldest] = heard;
  if (heard.size > MAX_REMEMBERED && oldest !== undefined) heard.delete(oldest);
  return true;
}
