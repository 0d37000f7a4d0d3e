import { useVirtualizer } from '@tanstack/react-virtual';
import { useRef } from 'react';
import { classes } from '../../../ui/class-names.ts';
import { STATE_COLORS } from '../../../parts/orders/state-colors.ts';
import { orderTexts } from '../../../texts/orders/orders.ts';
import { stateTexts } from '../../../texts/orders/states.ts';
import type { Group, GroupName } from './groups.ts';
import { OrderCard } from './order-card.tsx';

const CARD_ESTIMATE_PX = 160;
const GAP_PX = 8;

/** A column for each state. Empty ones shrink to leave room for the others. */
export function BoardColumns({ groups }: { groups: readonly Group[] }) {
  return (
    <div data-fills className="flex min-h-0 flex-1 gap-3 overflow-x-auto px-8 pb-6">
      {groups.map((group) =>
        group.orders.length === 0 ? (
          <EmptyColumn key={group.name} name={group.name} />
        ) : (
          <Column key={group.name} group={group} />
        ),
      )}
    </div>
  );
}

export function groupLabel(name: GroupName): { name: string; meaning: string } {
  return name === 'FINISHED' ? { name: orderTexts.finished, meaning: orderTexts.finishedMeaning } : stateTexts[name];
}

export function GroupDot({ name }: { name: GroupName }) {
  const fill = name === 'FINISHED' ? STATE_COLORS.DELIVERED.fill : STATE_COLORS[name].fill;
  return <span aria-hidden className={classes('size-2 shrink-0 rounded-full', fill)} />;
}

function EmptyColumn({ name }: { name: GroupName }) {
  const label = groupLabel(name);
  return (
    <section
      aria-label={orderTexts.column(label.name, 0)}
      title={label.meaning}
      className="flex w-10 shrink-0 flex-col items-center gap-3 rounded-lg bg-sunken/60 py-3"
    >
      <GroupDot name={name} />
      <span className="text-sm text-ink-faint [writing-mode:vertical-rl]">{label.name}</span>
    </section>
  );
}

function Column({ group }: { group: Group }) {
  const { orders } = group;
  const label = groupLabel(group.name);
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: orders.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => CARD_ESTIMATE_PX,
    getItemKey: (index) => orders[index]?.id ?? index,
    gap: GAP_PX,
    overscan: 3,
  });
  const shown = virtual.getVirtualItems();
  return (
    <section
      aria-label={orderTexts.column(label.name, orders.length)}
      className="flex min-w-60 max-w-96 flex-1 flex-col rounded-lg bg-sunken/60"
    >
      <header title={label.meaning} className="flex items-center gap-2 px-3 pt-3 pb-2">
        <GroupDot name={group.name} />
        <h2 className="text-sm font-semibold">{label.name}</h2>
        <span className="ml-auto text-sm text-ink-faint tabular">{orders.length}</span>
      </header>
      <div
        ref={scroller}
        tabIndex={0}
        role="list"
        aria-label={label.name}
        className="min-h-0 flex-1 overflow-y-auto px-2 pb-2"
      >
        <div className="relative" style={{ height: virtual.getTotalSize() }}>
          {/* In normal document flow, so that a growing card never overlaps the next. */}
          <div
            className="absolute inset-x-0 top-0 flex flex-col gap-2"
            style={{ transform: `translateY(${shown[0]?.start ?? 0}px)` }}
          >
            {shown.map((item) => {
              const order = orders[item.index];
              return (
                order !== undefined && (
                  <div key={item.key} ref={virtual.measureElement} data-index={item.index} role="listitem">
                    <OrderCard order={order} />
                  </div>
                )
              );
            })}
          </div>
        </div>
      </div>
    </section>
  );
}
