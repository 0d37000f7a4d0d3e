import { useState } from 'react';
import type { CandidateView } from '../../../../src/contract/panel/planning/candidates.ts';
import type { OperatorOrderAnswer } from '../../../../src/contract/panel/planning/planning.ts';
import { useMove } from '../../api/planning/planning.ts';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialogs/dialog.tsx';
import { showToast } from '../../ui/toast.tsx';
import { commonTexts } from '../../texts/everywhere.ts';
import { planControlTexts } from '../../texts/planning/planning.ts';
import { CandidateList } from './candidate-list.tsx';

export function MoveDialog({ order, onClose }: { order: OperatorOrderAnswer; onClose: () => void }) {
  const [chosen, setChosen] = useState<CandidateView | null>(null);
  const move = useMove(order.orderId);
  const { courier, isAccepted } = order;
  const act = ({ id, name }: CandidateView): void =>
    move.mutate(id, {
      onSuccess: () => {
        showToast(planControlTexts.moveDone(name));
        onClose();
      },
    });
  return (
    <Dialog
      title={planControlTexts.moveTitle(order.orderNumber)}
      description={
        isAccepted
          ? planControlTexts.moveReplace(courier?.name ?? planControlTexts.unnamedCourier)
          : planControlTexts.moveOffer
      }
      isOpen
      isWide
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{commonTexts.cancel}</Button>
          <Button
            look="primary"
            isBusy={move.isPending}
            disabledReason={chosen === null ? planControlTexts.moveChoose : null}
            onClick={() => chosen !== null && act(chosen)}
          >
            {planControlTexts.moveDo}
          </Button>
        </>
      }
    >
      {/* Above the list, which fills the screen of a phone. */}
      {move.isError && <Banner tone="danger">{move.error.message}</Banner>}
      <CandidateList orderId={order.orderId} chooser="operator" chosen={chosen} onChoose={setChosen} />
    </Dialog>
  );
}
