// Orders that left the stops without the courier having brought them: somebody who rides there must hear of it.
import { useEffect, useRef, useState } from 'react';
import type { CourierStop, OrderEnding } from '../../../src/contract/panel/courier.ts';
import { getEnding } from '../api/courier.ts';
import { shake } from './attention.ts';
import { playTone } from '../sound/sound.ts';

const ASK_AGAIN_MS = 3_000;

export interface LostOrders {
  lost: readonly OrderEnding[];
  dismiss: (orderNumber: string) => void;
}

export function useLostOrders(stops: readonly CourierStop[]): LostOrders {
  const [lost, setLost] = useState<readonly OrderEnding[]>([]);
  const known = useRef(new Set<string>());
  const isOpen = useRef(true);
  useEffect(() => {
    isOpen.current = true;
    return () => {
      isOpen.current = false;
    };
  }, []);
  useEffect(() => {
    const ids = new Set(stops.map(({ orderId }) => orderId));
    const gone = [...known.current].filter((orderId) => !ids.has(orderId));
    known.current = ids;
    const learn = async (orderId: string): Promise<void> => {
      const ending = await getEnding(orderId).catch(() => undefined);
      if (!isOpen.current) return;
      if (ending === undefined) setTimeout(() => void learn(orderId), ASK_AGAIN_MS);
      else if (isLost(ending)) {
        setLost((before) => [...before.filter((one) => one.orderNumber !== ending.orderNumber), ending]);
        playTone('canceled');
        shake();
      }
    };
    for (const orderId of gone) void learn(orderId);
  }, [stops]);
  const dismiss = (orderNumber: string): void =>
    setLost((before) => before.filter((one) => one.orderNumber !== orderNumber));
  return { lost, dismiss };
}

/** Whoever cancels as the courier knows of it. */
export function isLost({ ending, canceledBy }: OrderEnding): boolean {
  return ending === 'moved' || (ending === 'canceled' && canceledBy !== 'Courier');
}
