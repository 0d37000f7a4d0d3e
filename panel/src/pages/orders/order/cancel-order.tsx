import type { BoardOrder } from '../../../../../src/contract/panel/orders/orders.ts';
import { useCancel } from '../../../api/orders/orders.ts';
import { CancelDialog } from '../../../parts/orders/cancel-dialog.tsx';
import { showToast } from '../../../ui/toast.tsx';
import { cancelTexts } from '../../../texts/orders/cancel.ts';

export function CancelOrder({ order, onClose }: { order: BoardOrder; onClose: () => void }) {
  const cancel = useCancel(order.id);
  return (
    <CancelDialog
      order={order}
      behalf={['Restaurant']}
      reader="restaurant"
      isBusy={cancel.isPending}
      problem={cancel.error?.message}
      onConfirm={({ canceledBy: _restaurant, ...request }) =>
        cancel.mutate(request, {
          onSuccess: () => {
            showToast(cancelTexts.done, 'info');
            onClose();
          },
        })
      }
      onClose={onClose}
    />
  );
}
