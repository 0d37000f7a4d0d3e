// Changes to the courier's orders made by others.
import { PackagePlus, PackageX } from 'lucide-react';
import type { CourierStop } from '../../../../../src/contract/panel/couriers/courier-page.ts';
import type { OrderNews } from './order-updates.ts';
import { courierTexts } from '../../../texts/couriers/courier.ts';
import { Notice } from '../controls/notice.tsx';

export function OrderNotices({ news, stops }: { news: OrderNews; stops: readonly CourierStop[] }) {
  return (
    <>
      {news.lost.map(({ orderId, orderNumber, ending }) => (
        <Notice
          key={orderId}
          isUrgent
          tone="danger"
          Icon={PackageX}
          title={ending === 'moved' ? courierTexts.orderMoved(orderNumber) : courierTexts.orderCanceled(orderNumber)}
          text={ending === 'moved' ? courierTexts.orderMovedText : courierTexts.orderCanceledText}
          onRead={() => news.dismiss(orderId)}
        />
      ))}
      {news.given.map((orderId) => {
        const stop = stops.find((one) => one.orderId === orderId);
        if (stop === undefined) return null;
        return (
          <Notice
            key={orderId}
            isUrgent
            tone="info"
            Icon={PackagePlus}
            title={courierTexts.orderGiven(stop.orderNumber)}
            text={courierTexts.orderGivenText(stop.restaurant)}
            onRead={() => news.dismiss(orderId)}
          />
        );
      })}
    </>
  );
}
