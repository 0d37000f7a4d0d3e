// The operator's overrides of the plan: lock an order to a courier, move it to another, request a new plan.
import { useQuery } from '@tanstack/react-query';
import { Lock, LockOpen, Shuffle } from 'lucide-react';
import { useState } from 'react';
import type { OperatorOrderAnswer } from '../../../../src/contract/panel/planning/planning.ts';
import { whyNotLock, whyNotMove } from '../../../../src/domain/orders/give-by-hand.ts';
import { operatorOrderQuery, useLock } from '../../api/planning/planning.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/dialogs/confirm-dialog.tsx';
import { ErrorState } from '../../parts/error-state.tsx';
import { Skeleton } from '../../ui/content/skeleton.tsx';
import { showToast } from '../../ui/toast.tsx';
import { planControlTexts } from '../../texts/planning/planning.ts';
import { MoveDialog } from './move-dialog.tsx';
import { ReplanButton } from './replan-button.tsx';

export function PlanControls({ orderId }: { orderId: string }) {
  const order = useQuery(operatorOrderQuery(orderId));
  if (order.isPending) return <Skeleton className="h-9" />;
  if (order.isLoadingError) return <ErrorState error={order.error} onRetry={() => void order.refetch()} />;
  return (
    <div role="group" aria-label={planControlTexts.title} className="flex flex-wrap gap-2">
      <LockControl order={order.data} />
      <MoveControl order={order.data} />
      <ReplanButton />
    </div>
  );
}

function nameOf(courier: { name: string | null }): string {
  return courier.name ?? planControlTexts.unnamedCourier;
}

/** A single button, because an order is either locked or not. */
function LockControl({ order }: { order: OperatorOrderAnswer }) {
  const [isAsked, setIsAsked] = useState(false);
  const lock = useLock(order.orderId);
  const { lockedTo, courier, orderNumber, state } = order;
  const target = lockedTo ?? courier;
  const isLocked = lockedTo !== null;
  const name = target === null ? '' : nameOf(target);
  const label = isLocked
    ? planControlTexts.unlock(name)
    : target === null
      ? planControlTexts.lockAny
      : planControlTexts.lock(name);
  const act = (): void =>
    lock.mutate(isLocked ? null : (target?.id ?? null), {
      onSuccess: () => {
        showToast(isLocked ? planControlTexts.unlockDone : planControlTexts.lockDone(name));
        setIsAsked(false);
      },
    });
  return (
    <>
      <Button
        icon={isLocked ? <LockOpen aria-hidden className="size-4" /> : <Lock aria-hidden className="size-4" />}
        disabledReason={whyNotLock(state) ?? (target === null ? planControlTexts.lockNoCourier : null)}
        onClick={() => setIsAsked(true)}
      >
        {label}
      </Button>
      <ConfirmDialog
        title={isLocked ? planControlTexts.unlockTitle(orderNumber) : planControlTexts.lockTitle(orderNumber, name)}
        consequence={isLocked ? planControlTexts.unlockText : planControlTexts.lockText(name)}
        confirmLabel={label}
        isOpen={isAsked}
        isBusy={lock.isPending}
        problem={lock.error?.message}
        onConfirm={act}
        onClose={() => {
          setIsAsked(false);
          lock.reset();
        }}
      />
    </>
  );
}

function MoveControl({ order }: { order: OperatorOrderAnswer }) {
  const [isAsked, setIsAsked] = useState(false);
  return (
    <>
      <Button
        icon={<Shuffle aria-hidden className="size-4" />}
        disabledReason={whyNotMove(order.state)}
        onClick={() => setIsAsked(true)}
      >
        {planControlTexts.move}
      </Button>
      {isAsked && <MoveDialog order={order} onClose={() => setIsAsked(false)} />}
    </>
  );
}
