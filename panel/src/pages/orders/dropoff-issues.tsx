import { useState } from 'react';
import type { OrderRequest } from '../../../../src/contract/order-schema.ts';
import type { OrderDetail } from '../../../../src/contract/panel/orders.ts';
import { isFinal } from '../../../../src/domain/order.ts';
import { Banner } from '../../components/banner.tsx';
import { Button } from '../../components/button.tsx';
import { orderPageTexts } from '../../texts/order-page.ts';
import { FixDropoffDialog } from './fix-dropoff-dialog.tsx';

/** What keeps the order from being planned, each with a way to mend it. */
export function DropoffIssues({ order, content }: { order: OrderDetail; content: OrderRequest | undefined }) {
  const [isFixing, setIsFixing] = useState(false);
  if (isFinal(order.state)) return null;
  return (
    <>
      {order.issues.map((issue) => (
        <Banner
          key={issue.code}
          tone="warn"
          actions={
            <Button size="small" onClick={() => setIsFixing(true)}>
              {orderPageTexts.fix}
            </Button>
          }
        >
          {issue.message}
        </Banner>
      ))}
      {isFixing && <FixDropoffDialog orderId={order.id} content={content} onClose={() => setIsFixing(false)} />}
    </>
  );
}
