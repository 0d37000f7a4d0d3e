import { useState } from 'react';
import type { OrderRequest } from '../../../../../src/contract/integrator/orders/schema.ts';
import type { OrderDetail } from '../../../../../src/contract/panel/orders/orders.ts';
import { isFinal } from '../../../../../src/domain/orders/order.ts';
import { Banner } from '../../../ui/banner.tsx';
import { Button } from '../../../ui/button.tsx';
import { orderPageTexts } from '../../../texts/orders/order-page.ts';
import { FixDropoffDialog } from './fix-dropoff-dialog.tsx';

/** The issues that keep the order from being planned, each with a way to fix it. */
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
