import { useState } from 'react';
import type { OrderDetail } from '../../../../../src/contract/panel/orders/orders.ts';
import type { TransitionName } from '../../../../../src/domain/orders/order.ts';
import { useCommand } from '../../../api/orders/orders.ts';
import { Button } from '../../../ui/button.tsx';
import { showToast } from '../../../ui/toast.tsx';
import { orderTexts } from '../../../texts/orders/orders.ts';
import { AssignDialog } from './assign-dialog.tsx';
import { CancelOrder } from './cancel-order.tsx';

type Asked = 'assign' | 'cancel' | null;

/** All commands of the restaurant; those not allowed now show the reason. */
export function OrderCommands({ order }: { order: OrderDetail }) {
  const [asked, setAsked] = useState<Asked>(null);
  const command = useCommand(order.id);
  const reasons = new Map(order.commands.map(({ name, reason }) => [name, reason]));
  // The kitchen's most likely next command is highlighted.
  const next = (['approve', 'prepare'] as const).find((name) => reasons.get(name) === null);
  const give = (name: 'approve' | 'prepare'): void =>
    command.mutate(
      { command: name },
      {
        onSuccess: () => showToast(orderTexts.commandDone[name]),
        onError: (error) => showToast(error.message, 'danger'),
      },
    );
  const button = (name: TransitionName, onClick: () => void) => (
    <Button
      look={name === next ? 'primary' : 'secondary'}
      disabledReason={reasons.get(name)}
      isBusy={command.isPending && command.variables.command === name}
      onClick={onClick}
    >
      {orderTexts.commands[name]}
    </Button>
  );
  return (
    <>
      {button('approve', () => give('approve'))}
      {button('prepare', () => give('prepare'))}
      {button('assign', () => setAsked('assign'))}
      {button('cancel', () => setAsked('cancel'))}
      {asked === 'assign' && <AssignDialog order={order} onClose={() => setAsked(null)} />}
      {asked === 'cancel' && <CancelOrder order={order} onClose={() => setAsked(null)} />}
    </>
  );
}
