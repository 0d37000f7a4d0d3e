import { useQuery } from '@tanstack/react-query';
import { Bike } from 'lucide-react';
import { useState } from 'react';
import type { AssignableCouriers, BoardOrder } from '../../../../src/contract/panel/orders.ts';
import { toApiError } from '../../api/api-error.ts';
import { couriersQuery, useCommand } from '../../api/orders.ts';
import { Badge } from '../../components/badge.tsx';
import { Banner } from '../../components/banner.tsx';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorState } from '../../components/error-state.tsx';
import { SkeletonRows } from '../../components/skeleton.tsx';
import { showToast } from '../../components/toast.tsx';
import { commonTexts } from '../../texts/everywhere.ts';
import { orderTexts } from '../../texts/orders.ts';

type Courier = AssignableCouriers['couriers'][number];

export function AssignDialog({ order, onClose }: { order: BoardOrder; onClose: () => void }) {
  const couriers = useQuery(couriersQuery(order.id));
  const [chosen, setChosen] = useState<string | null>(null);
  const command = useCommand(order.id);
  const assign = (courierId: string): void =>
    command.mutate(
      { command: 'assign', courierId },
      {
        onSuccess: () => {
          showToast(orderTexts.commandDone.assign);
          onClose();
        },
      },
    );
  return (
    <Dialog
      title={orderTexts.assignTitle(order.orderNumber)}
      description={orderTexts.assignText}
      isOpen
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{commonTexts.cancel}</Button>
          <Button
            look="primary"
            isBusy={command.isPending}
            disabledReason={chosen === null ? orderTexts.chooseCourier : null}
            onClick={() => chosen !== null && assign(chosen)}
          >
            {orderTexts.assign}
          </Button>
        </>
      }
    >
      {couriers.isPending && <SkeletonRows count={3} />}
      {couriers.isError && <ErrorState error={couriers.error} onRetry={() => void couriers.refetch()} />}
      {couriers.data?.couriers.length === 0 && <EmptyState icon={<Bike />} title={orderTexts.noCouriers} />}
      {couriers.data !== undefined && (
        <fieldset className="-mx-2 flex max-h-80 flex-col overflow-y-auto">
          <legend className="sr-only">{orderTexts.courier}</legend>
          {couriers.data.couriers.map((courier) => (
            <CourierChoice
              key={courier.id}
              courier={courier}
              isChosen={courier.id === chosen}
              onChoose={() => setChosen(courier.id)}
            />
          ))}
        </fieldset>
      )}
      {command.isError && <Banner tone="danger">{toApiError(command.error).message}</Banner>}
    </Dialog>
  );
}

function CourierChoice(props: { courier: Courier; isChosen: boolean; onChoose: () => void }) {
  const { name, onDuty, openOrders } = props.courier;
  return (
    <label className="flex items-center gap-3 rounded-md px-2 py-2 hover:bg-hover">
      <input
        type="radio"
        name="courier"
        className="size-4 accent-ink"
        checked={props.isChosen}
        onChange={props.onChoose}
      />
      <span className="min-w-0 flex-1 truncate font-medium">{name}</span>
      <span className="text-sm text-ink-faint tabular">{orderTexts.openOrders(openOrders)}</span>
      <Badge tone={onDuty ? 'good' : 'neutral'}>{onDuty ? orderTexts.onDuty : orderTexts.offDuty}</Badge>
    </label>
  );
}
