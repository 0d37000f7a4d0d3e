// Answers to offers given on this page. Kept outside the offer screen, which unmounts with the offer.
import { useCallback, useRef } from 'react';
import type { CourierOffer } from '../../../../../src/contract/panel/couriers/courier-page.ts';
import { toApiError } from '../../../api/api-error.ts';
import { useAcceptOffer, useDeclineOffer } from '../../../api/couriers/courier.ts';
import { showToast } from '../../../ui/toast.tsx';
import { courierTexts } from '../../../texts/couriers/courier.ts';

type Asked = Pick<CourierOffer, 'orderId' | 'expiresAt'>;

export interface OfferAnswers {
  accept: (offer: Asked) => void;
  decline: (offer: Asked, reason: string) => void;
  /** True while the answer is being sent. */
  isAnswering: (offer: Asked) => boolean;
  isAnswered: (offer: Asked) => boolean;
}

export function useOfferAnswers(): OfferAnswers {
  const answered = useRef(new Set<string>());
  const isAnswered = useCallback((offer: Asked) => answered.current.has(nameOf(offer)), []);
  const accept = useAcceptOffer(explain);
  const decline = useDeclineOffer(explain);
  return {
    accept(offer) {
      answered.current.add(nameOf(offer));
      accept.mutate(offer.orderId);
    },
    decline(offer, reason) {
      answered.current.add(nameOf(offer));
      decline.mutate({ orderId: offer.orderId, reason });
    },
    isAnswering: ({ orderId }) =>
      (accept.isPending && accept.variables === orderId) ||
      (decline.isPending && decline.variables.orderId === orderId),
    isAnswered,
  };
}

/** Includes the expiry, because the same order may be offered again later. */
function nameOf({ orderId, expiresAt }: Asked): string {
  return `${orderId} ${expiresAt}`;
}

function explain(error: Error): void {
  showToast(describeFailure(error), 'danger');
}

export function describeFailure(error: Error): string {
  const { status, message } = toApiError(error);
  if (status === 0) return courierTexts.offerFailed;
  // The service responds with 404 for orders of other couriers: the offer was withdrawn.
  return status === 404 ? courierTexts.offerTakenBack : message;
}
