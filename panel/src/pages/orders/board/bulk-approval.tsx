import { CircleCheck, CircleX } from 'lucide-react';
import { useState } from 'react';
import type { BoardOrder, BulkAnswer } from '../../../../../src/contract/panel/orders/orders.ts';
import { toApiError } from '../../../api/api-error.ts';
import { useBulkApproval } from '../../../api/orders/orders.ts';
import { Banner } from '../../../ui/banner.tsx';
import { Button } from '../../../ui/button.tsx';
import { classes } from '../../../ui/class-names.ts';
import { Dialog } from '../../../ui/dialogs/dialog.tsx';
import { Age } from '../../../ui/time/times.tsx';
import { commonTexts } from '../../../texts/everywhere.ts';
import { orderTexts } from '../../../texts/orders/orders.ts';

/** The service's limit per request. */
const MAX_CONCURRENT = 200;

/** Approves many orders, then shows the result of each. */
export function BulkApproval({ orders, onClose }: { orders: readonly BoardOrder[]; onClose: () => void }) {
  // The orders listed when the dialog opened: one that arrives later must not be approved unseen.
  const [listed] = useState(() => orders.slice(0, MAX_CONCURRENT));
  const [chosen, setChosen] = useState(() => new Set(listed.map((order) => order.id)));
  const approval = useBulkApproval();
  const results = new Map(approval.data?.results.map((result) => [result.orderId, result]));
  const toggle = (id: string): void =>
    setChosen((before) => new Set(before.has(id) ? [...before].filter((other) => other !== id) : [...before, id]));
  return (
    <Dialog
      title={orderTexts.bulkTitle}
      description={orders.length > MAX_CONCURRENT ? orderTexts.bulkMost(MAX_CONCURRENT) : orderTexts.bulkText}
      isOpen
      onClose={onClose}
      actions={
        approval.isSuccess ? (
          <Button look="primary" onClick={onClose}>
            {commonTexts.done}
          </Button>
        ) : (
          <>
            <Button onClick={onClose}>{commonTexts.cancel}</Button>
            <Button
              look="primary"
              isBusy={approval.isPending}
              disabledReason={chosen.size === 0 ? orderTexts.bulkNone : null}
              onClick={() => approval.mutate([...chosen])}
            >
              {orderTexts.approveAll(chosen.size)}
            </Button>
          </>
        )
      }
    >
      {approval.isError && <Banner tone="danger">{toApiError(approval.error).message}</Banner>}
      {approval.isSuccess && <Outcome results={approval.data.results} />}
      <ul className="-mx-2 flex max-h-80 flex-col overflow-y-auto">
        {listed.map((order) => (
          <li key={order.id}>
            <label className="flex items-center gap-3 rounded-md px-2 py-1.5 hover:bg-hover">
              {approval.isSuccess ? (
                <ResultMark result={results.get(order.id)} />
              ) : (
                <input
                  type="checkbox"
                  className="size-4 accent-ink"
                  checked={chosen.has(order.id)}
                  onChange={() => toggle(order.id)}
                />
              )}
              <span className="font-medium tabular">{orderTexts.number(order.orderNumber)}</span>
              <span className="min-w-0 flex-1 truncate text-ink-soft">
                {results.get(order.id)?.message ?? order.customer ?? order.orderId}
              </span>
              <span className="text-sm text-ink-faint">
                <Age since={order.createdAt} />
              </span>
            </label>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}

type Result = BulkAnswer['results'][number];

function Outcome({ results }: { results: readonly Result[] }) {
  const done = results.filter((result) => result.result !== 'refused').length;
  return <Banner tone={done === results.length ? 'good' : 'warn'}>{orderTexts.bulkDone(done, results.length)}</Banner>;
}

function ResultMark({ result }: { result: Result | undefined }) {
  if (result === undefined) return <span className="size-4" />;
  const isRefused = result.result === 'refused';
  const Icon = isRefused ? CircleX : CircleCheck;
  return (
    <>
      <Icon aria-hidden className={classes('size-4 shrink-0', isRefused ? 'text-danger' : 'text-good')} />
      <span className="sr-only">{orderTexts.bulkResults[result.result]}</span>
    </>
  );
}
