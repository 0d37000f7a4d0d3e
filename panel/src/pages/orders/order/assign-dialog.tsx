import { useState } from 'react';
import type { CandidateView } from '../../../../../src/contract/panel/planning/candidates.ts';
import type { BoardOrder } from '../../../../../src/contract/panel/orders/orders.ts';
import { toApiError } from '../../../api/api-error.ts';
import { useCommand } from '../../../api/orders/orders.ts';
import { Banner } from '../../../ui/banner.tsx';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialogs/dialog.tsx';
import { showToast } from '../../../ui/toast.tsx';
import { commonTexts } from '../../../texts/everywhere.ts';
import { orderTexts } from '../../../texts/orders/orders.ts';
import { CandidateList } from '../../planning/candidate-list.tsx';

export function AssignDialog({ order, onClose }: { order: BoardOrder; onClose: () => void }) {
  const [chosen, setChosen] = useState<CandidateView | null>(null);
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
  const error = command.isError ? toApiError(command.error) : undefined;
  const problem = error?.problemOf('courierId') ?? error?.message;
  return (
    <Dialog
      title={orderTexts.assignTitle(order.orderNumber)}
      description={orderTexts.assignText}
      isOpen
      isWide
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{commonTexts.cancel}</Button>
          <Button
            look="primary"
            isBusy={command.isPending}
            disabledReason={chosen === null ? orderTexts.chooseCourier : null}
            onClick={() => chosen !== null && assign(chosen.id)}
          >
            {orderTexts.assign}
          </Button>
        </>
      }
    >
      {/* Above the list, which fills the screen of a phone. */}
      {problem !== undefined && <Banner tone="danger">{problem}</Banner>}
      <CandidateList orderId={order.id} chooser="restaurant" chosen={chosen} onChoose={setChosen} />
    </Dialog>
  );
}
