// Orders that disappeared undelivered, and orders that came without an offer. The courier must hear of both while
// riding, and can read about them even after reopening the page.
import { useCallback, useEffect, useRef, useState } from 'react';
import type { OrderEnding } from '../../../../../src/contract/panel/couriers/courier-page.ts';
import { ApiError } from '../../../api/api-error.ts';
import { getEnding, type KnownWork } from '../../../api/couriers/courier.ts';
import { playTone, type Tone } from '../../../ui/sound.ts';
import { shake } from '../phone/attention.ts';
import { compareOrders, recallOrders, rememberOrders, withoutNews, type SeenOrders } from './order-memory.ts';

const ASK_AGAIN_MS = 3_000;

export interface LostOrder extends OrderEnding {
  orderId: string;
}

export interface OrderNews {
  lost: readonly LostOrder[];
  /** Ids of orders among the stops. */
  given: readonly string[];
  dismiss: (orderId: string) => void;
}

export function useOrderNews(work: KnownWork): OrderNews {
  const { isKept, stops, offers } = work;
  const courierId = work.courier.id;
  const [given, setGiven] = useState<readonly string[]>([]);
  const seen = useRef<SeenOrders>(undefined);
  const unread = useRef(new Set<string>());
  const remember = useCallback(() => {
    if (seen.current !== undefined) rememberOrders(courierId, withoutNews(seen.current, unread.current));
  }, [courierId]);
  const forget = useCallback(
    (orderId: string) => {
      unread.current.delete(orderId);
      remember();
    },
    [remember],
  );
  const { lost, learn, dismissLost } = useLostOrders(forget);
  useEffect(() => {
    // A cached response may be older than the last known state.
    if (isKept) return;
    const now = { carried: [...new Set(stops.map(idOf))], offered: offers.map(idOf) };
    const before = seen.current ?? recallOrders(courierId) ?? now;
    const news = compareOrders(before, now);
    seen.current = now;
    for (const orderId of [...news.gone, ...news.given]) unread.current.add(orderId);
    for (const orderId of news.gone) void learn(orderId);
    if (news.given.length > 0) attract('new');
    setGiven((others) => [...others, ...news.given].filter((orderId) => now.carried.includes(orderId)));
    remember();
  }, [isKept, stops, offers, courierId, learn, remember]);
  const dismiss = (orderId: string): void => {
    dismissLost(orderId);
    setGiven((others) => others.filter((one) => one !== orderId));
    forget(orderId);
  };
  // An order that came back is no longer lost.
  return { lost: lost.filter(({ orderId }) => !stops.some((stop) => stop.orderId === orderId)), given, dismiss };
}

interface LostOrders {
  lost: readonly LostOrder[];
  learn: (orderId: string) => Promise<void>;
  dismissLost: (orderId: string) => void;
}

/** Looks up how each missing order ended; `onNoLoss` gets the orders that need no notice. */
function useLostOrders(onNoLoss: (orderId: string) => void): LostOrders {
  const [lost, setLost] = useState<readonly LostOrder[]>([]);
  const isOpen = useRef(true);
  useEffect(() => {
    isOpen.current = true;
    return () => {
      isOpen.current = false;
    };
  }, []);
  const learn = useCallback(
    async (orderId: string): Promise<void> => {
      const ending = await askForEnding(orderId);
      if (!isOpen.current) return;
      if (ending === 'unanswered') setTimeout(() => void learn(orderId), ASK_AGAIN_MS);
      else if (ending === 'unknown' || !isLost(ending)) onNoLoss(orderId);
      else {
        setLost((before) => [...before.filter((one) => one.orderId !== orderId), { ...ending, orderId }]);
        attract('canceled');
      }
    },
    [onNoLoss],
  );
  const dismissLost = (orderId: string): void => setLost((before) => before.filter((one) => one.orderId !== orderId));
  return { lost, learn, dismissLost };
}

async function askForEnding(orderId: string): Promise<OrderEnding | 'unknown' | 'unanswered'> {
  try {
    return await getEnding(orderId);
  } catch (error) {
    return error instanceof ApiError && error.status === 404 ? 'unknown' : 'unanswered';
  }
}

/** A courier who canceled the order knows about it. */
function isLost({ ending, canceledBy }: OrderEnding): boolean {
  return ending === 'moved' || (ending === 'canceled' && canceledBy !== 'Courier');
}

function attract(tone: Tone): void {
  playTone(tone);
  shake();
}

function idOf({ orderId }: { orderId: string }): string {
  return orderId;
}
