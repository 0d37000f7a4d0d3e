import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { AttemptEntry } from '../../../../src/contract/panel/orders/timeline.ts';
import type { WebhookDetail } from '../../../../src/contract/panel/webhooks/webhooks.ts';
import { toApiError } from '../../api/api-error.ts';
import { useSession } from '../../api/people/session.ts';
import { useDiscard, webhookQuery } from '../../api/webhooks/webhooks.ts';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/dialogs/confirm-dialog.tsx';
import { Dialog } from '../../ui/dialogs/dialog.tsx';
import { ErrorState } from '../../parts/error-state.tsx';
import { KeyValue } from '../../ui/content/key-value.tsx';
import { SkeletonRows } from '../../ui/content/skeleton.tsx';
import { RelativeTime, ZonedTime } from '../../ui/time/times.tsx';
import { showToast } from '../../ui/toast.tsx';
import { paths } from '../../paths.ts';
import { orderTexts } from '../../texts/orders/orders.ts';
import { webhookDetailTexts, webhookLogTexts, webhookTexts } from '../../texts/webhooks/webhooks.ts';
import { AttemptDetails } from '../../parts/webhooks/attempt-details.tsx';
import { ResendButton } from '../../parts/webhooks/resend-button.tsx';

/** One webhook with all its attempts, in a dialog over the log. */
export function WebhookDialog({ eventId }: { eventId: string }) {
  const search = useSearch({ from: '/app/restaurant/webhooks' });
  const navigate = useNavigate();
  const webhook = useQuery(webhookQuery(eventId));
  const [isDiscarding, setIsDiscarding] = useState(false);
  const close = (): void =>
    void navigate({ to: '/webhooks', search: { ...search, event: undefined }, resetScroll: false });
  const detail = webhook.data;
  // Replaces the dialog: a confirmation on top would leave two dialogs to close.
  if (isDiscarding) return <DiscardDialog eventId={eventId} onClose={() => setIsDiscarding(false)} />;
  return (
    <Dialog
      title={
        detail === undefined
          ? webhookTexts.title
          : webhookDetailTexts.title(webhookTexts.endpoints[detail.delivery.endpoint])
      }
      isOpen
      isWide
      onClose={close}
      actions={detail && <Actions detail={detail} onDiscard={() => setIsDiscarding(true)} />}
    >
      {webhook.isPending && <SkeletonRows count={4} />}
      {webhook.isError && detail === undefined && (
        <ErrorState error={webhook.error} onRetry={() => void webhook.refetch()} />
      )}
      {detail !== undefined && <Facts detail={detail} />}
      {detail !== undefined && <Attempts detail={detail} />}
    </Dialog>
  );
}

function Facts({ detail: { order, delivery, url } }: { detail: WebhookDetail }) {
  return (
    <KeyValue
      entries={[
        {
          name: webhookDetailTexts.order,
          value: (
            <Link {...paths.order(order.id)} className="text-accent hover:underline">
              {orderTexts.number(order.orderNumber)} · {order.orderId}
            </Link>
          ),
        },
        { name: webhookDetailTexts.state, value: webhookDetailTexts.states[delivery.state] },
        {
          name: webhookDetailTexts.next,
          value: delivery.state === 'waiting' && delivery.nextAttemptAt !== null && (
            <>
              <ZonedTime at={delivery.nextAttemptAt} />
              {', '}
              <RelativeTime at={delivery.nextAttemptAt} />
            </>
          ),
        },
        { name: webhookDetailTexts.url, value: url !== null && <span className="break-all">{url}</span> },
      ]}
    />
  );
}

function Attempts({ detail: { attempts, delivery, order } }: { detail: WebhookDetail }) {
  const newestFirst = attempts.toReversed();
  return (
    <section className="flex flex-col gap-4">
      <h3 className="font-medium">{webhookDetailTexts.attempts(attempts.length)}</h3>
      {attempts.length === 0 && <p className="text-ink-soft">{webhookDetailTexts.noAttempts}</p>}
      {newestFirst.map((attempt, index) => (
        <div key={`${attempt.number} ${attempt.at}`} className="flex flex-col gap-2">
          <AttemptHead attempt={attempt} />
          {attempt.outcome !== 'discarded' && (
            <AttemptDetails attempt={attempt} delivery={delivery} orderId={order.id} isOpen={index === 0} />
          )}
        </div>
      ))}
    </section>
  );
}

function AttemptHead({ attempt }: { attempt: AttemptEntry }) {
  const { at, outcome, status, errorClass, errorText } = attempt;
  const error = webhookDetailTexts.errors[errorClass ?? ''] ?? webhookDetailTexts.fallbackError;
  return (
    <>
      <p className="flex flex-wrap items-baseline gap-x-3">
        <ZonedTime at={at} />
        <span className="font-medium">
          {webhookLogTexts.outcomes[outcome]}
          {status !== null && `, ${status}`}
        </span>
      </p>
      {outcome === 'failed' && (
        <Banner tone="warn" title={errorText ?? error.meaning}>
          {errorText !== null && `${error.meaning} `}
          {error.todo}
        </Banner>
      )}
    </>
  );
}

function Actions({ detail: { delivery, order }, onDiscard }: { detail: WebhookDetail; onDiscard: () => void }) {
  const { role } = useSession();
  const reasonNot = (): string | null => {
    if (role !== 'owner') return webhookTexts.ownersOnly;
    if (delivery.state === 'sending') return webhookDetailTexts.sendingNow;
    return delivery.state === 'waiting' || delivery.state === 'held' ? null : webhookDetailTexts.notWaiting;
  };
  return (
    <>
      <Button
        size="small"
        icon={<Trash2 aria-hidden className="size-3.5" />}
        disabledReason={reasonNot()}
        onClick={onDiscard}
      >
        {webhookDetailTexts.discard}
      </Button>
      <ResendButton delivery={delivery} orderId={order.id} />
    </>
  );
}

function DiscardDialog({ eventId, onClose }: { eventId: string; onClose: () => void }) {
  const discard = useDiscard();
  const confirm = (): void =>
    discard.mutate(eventId, {
      onSuccess: () => {
        showToast(webhookDetailTexts.discarded);
        onClose();
      },
    });
  return (
    <ConfirmDialog
      title={webhookDetailTexts.discardTitle}
      consequence={webhookDetailTexts.discardText}
      confirmLabel={webhookDetailTexts.discard}
      isDangerous
      isOpen
      isBusy={discard.isPending}
      problem={discard.isError ? toApiError(discard.error).message : undefined}
      onConfirm={confirm}
      onClose={onClose}
    />
  );
}
