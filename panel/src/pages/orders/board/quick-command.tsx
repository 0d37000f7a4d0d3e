import type { BoardOrder } from '../../../../../src/contract/panel/orders/orders.ts';
import { whyNot } from '../../../../../src/domain/orders/available-commands.ts';
import { useCommand } from '../../../api/orders/orders.ts';
import { Button } from '../../../ui/button.tsx';
import { showToast } from '../../../ui/toast.tsx';
import { orderTexts } from '../../../texts/orders/orders.ts';
import { toFacts } from '../order/facts.ts';

/** The kitchen's next command for an order, on its card. */
export function QuickCommand({ order }: { order: BoardOrder }) {
  const command = useCommand(order.id);
  const facts = toFacts(order);
  const name = (['approve', 'prepare'] as const).find((candidate) => whyNot(facts, candidate, 'restaurant') === null);
  if (name === undefined) return null;
  return (
    <Button
      size="small"
      look={name === 'approve' ? 'primary' : 'secondary'}
      className="relative mt-0.5 w-full"
      isBusy={command.isPending}
      onClick={() => command.mutate({ command: name }, { onError: (error) => showToast(error.message, 'danger') })}
    >
      {orderTexts.commands[name]}
      <span className="sr-only">{orderTexts.number(order.orderNumber)}</span>
    </Button>
  );
}
