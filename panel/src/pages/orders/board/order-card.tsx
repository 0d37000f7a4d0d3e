import { Link } from '@tanstack/react-router';
import { ChefHat, MapPinOff, User } from 'lucide-react';
import { memo } from 'react';
import type { BoardOrder } from '../../../../../src/contract/panel/orders/orders.ts';
import { isFinal } from '../../../../../src/domain/orders/order.ts';
import { HOUR_MS } from '../../../../../src/domain/time.ts';
import { useRestaurantZone } from '../../../ui/time/zone.ts';
import { Badge, StateBadge } from '../../../parts/orders/badge.tsx';
import { classes } from '../../../ui/class-names.ts';
import { useNow } from '../../../ui/time/now.ts';
import { STATE_COLORS } from '../../../parts/orders/state-colors.ts';
import { formatDuration, formatNear } from '../../../ui/time/time-words.ts';
import { paths } from '../../../paths.ts';
import { orderTexts } from '../../../texts/orders/orders.ts';
import { formatMoney } from '../../../parts/orders/money.ts';
import { QuickCommand } from './quick-command.tsx';
import { urgencyOf, type Urgency } from './urgency.ts';

export interface OrderCardProps {
  order: BoardOrder;
  /** For lists with mixed states. */
  hasState?: boolean;
}

export const OrderCard = memo(function OrderCard({ order, hasState = false }: OrderCardProps) {
  const { toCollect, currency } = order;
  return (
    <article
      aria-label={orderTexts.number(order.orderNumber)}
      className="group relative flex flex-col gap-2 overflow-hidden rounded-md border bg-surface py-3 pr-3 pl-4 shadow-card transition-colors hover:border-line-strong/70"
    >
      <span aria-hidden className={classes('absolute inset-y-0 left-0 w-1', STATE_COLORS[order.state].fill)} />
      <div className="flex items-baseline justify-between gap-2">
        {/* The link covers the card; buttons are above it. */}
        <Link {...paths.order(order.id)} className="font-semibold tabular after:absolute after:inset-0">
          {orderTexts.number(order.orderNumber)}
        </Link>
        <AgeMark order={order} />
      </div>
      <div className="flex min-w-0 flex-col text-sm">
        <span className="truncate">{order.customer ?? orderTexts.noCustomer}</span>
        <span className="truncate text-ink-faint">{order.destination ?? order.displayId ?? order.orderId}</span>
      </div>
      <Facts order={order} />
      {(hasState || order.issueCount > 0 || toCollect !== null || order.state === 'CANCELED') && (
        <div className="flex flex-wrap gap-1.5">
          {(hasState || isFinal(order.state)) && <StateBadge state={order.state} />}
          {order.issueCount > 0 && (
            <Badge tone="warn">
              <MapPinOff aria-hidden className="size-3" />
              {orderTexts.issues(order.issueCount)}
            </Badge>
          )}
          {toCollect !== null && <Badge tone="accent">{orderTexts.collect(formatMoney(toCollect, currency))}</Badge>}
        </div>
      )}
      <QuickCommand order={order} />
    </article>
  );
});

function Facts({ order }: { order: BoardOrder }) {
  const timeZone = useRestaurantZone();
  const now = useNow(HOUR_MS);
  const isReadyEarly = order.kitchenReadyAt !== null && (order.state === 'ROUTED' || order.state === 'ASSIGNED');
  const facts = [
    order.itemCount > 0 && orderTexts.items(order.itemCount),
    order.total !== null && formatMoney(order.total, order.currency),
    order.wantedAt !== null && orderTexts.wanted(formatNear(Date.parse(order.wantedAt), timeZone, now)),
    order.dropoffAt !== null &&
      !isFinal(order.state) &&
      orderTexts.eta(formatNear(Date.parse(order.dropoffAt), timeZone, now)),
  ].filter((fact) => fact !== false);
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-xs text-ink-soft tabular">
      {facts.map((fact) => (
        <span key={fact}>{fact}</span>
      ))}
      {order.courierName !== null && (
        <span className="flex min-w-0 items-center gap-1">
          <User aria-hidden className="size-3 shrink-0" />
          <span className="truncate">{order.courierName}</span>
        </span>
      )}
      {isReadyEarly && (
        <span className="flex items-center gap-1 text-state-prepared">
          <ChefHat aria-hidden className="size-3" />
          {orderTexts.readyEarly}
        </span>
      )}
    </div>
  );
}

const URGENCY_COLORS: Record<Urgency, string> = {
  calm: 'text-ink-faint',
  soon: 'text-warn font-medium',
  late: 'text-danger font-semibold',
};

function AgeMark({ order }: { order: BoardOrder }) {
  const now = useNow();
  const urgency = urgencyOf(order, now);
  const since = Date.parse(isFinal(order.state) ? order.changedAt : order.createdAt);
  return (
    <span className={classes('text-xs tabular', URGENCY_COLORS[urgency])}>
      <span className="sr-only">{orderTexts.age} </span>
      {formatDuration(now - since)}
      {urgency !== 'calm' && <span className="sr-only"> {orderTexts.urgency[urgency]}</span>}
    </span>
  );
}
