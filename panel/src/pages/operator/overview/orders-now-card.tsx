import type { OverviewAnswer } from '../../../../../src/contract/panel/operator/overview.ts';
import { formatCount } from '../../../../../src/domain/counts.ts';
import { classes } from '../../../ui/class-names.ts';
import { Card } from '../../../ui/content/page.tsx';
import { STATE_COLORS } from '../../../parts/orders/state-colors.ts';
import { overviewTexts } from '../../../texts/operator/overview.ts';
import { stateTexts } from '../../../texts/orders/states.ts';

/** The number of orders in each state, as a bar and as numbers, and why some of them wait. */
export function OrdersNowCard({ orders }: { orders: OverviewAnswer['orders'] }) {
  const total = orders.states.reduce((sum, { count }) => sum + count, 0);
  return (
    <Card
      title={overviewTexts.ordersNow}
      description={total === 0 ? overviewTexts.noOrders : overviewTexts.total(total)}
    >
      <div className="flex flex-col gap-5">
        <div aria-hidden className="flex h-2 gap-0.5 overflow-hidden rounded-full bg-sunken">
          {orders.states
            .filter(({ count }) => count > 0)
            .map(({ state, count }) => (
              <span key={state} className={STATE_COLORS[state].fill} style={{ flexGrow: count }} />
            ))}
        </div>
        <ul className="grid grid-cols-2 gap-x-6 gap-y-4 sm:grid-cols-4 xl:grid-cols-7">
          {orders.states.map(({ state, count, late }) => (
            <li key={state} className="flex flex-col">
              <span className="flex items-center gap-1.5 text-sm text-ink-soft">
                <span aria-hidden className={classes('size-2 rounded-full', STATE_COLORS[state].fill)} />
                {stateTexts[state].name}
              </span>
              <span className="text-2xl font-semibold tabular">{formatCount(count)}</span>
              <span className={classes('text-sm', late > 0 ? 'font-medium text-danger' : 'text-ink-faint')}>
                {overviewTexts.late(late)}
              </span>
            </li>
          ))}
        </ul>
        {orders.waits.length > 0 && <Waits waits={orders.waits} />}
      </div>
    </Card>
  );
}

function Waits({ waits }: { waits: OverviewAnswer['orders']['waits'] }) {
  return (
    <div className="flex flex-col gap-2 border-t pt-4">
      <h3 className="label">{overviewTexts.waitsTitle}</h3>
      <ul className="flex flex-wrap gap-x-8 gap-y-1">
        {waits.map(({ reason, count }) => (
          <li key={reason} className="flex items-baseline gap-2">
            <span className="font-medium tabular">{formatCount(count)}</span>
            <span className="text-ink-soft">{overviewTexts.waits[reason] ?? reason}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}
