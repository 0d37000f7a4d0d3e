import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { useLayoutEffect, useMemo, useRef, useState } from 'react';
import type { BoardOrder } from '../../../../../src/contract/panel/orders/orders.ts';
import { GroupDot, groupLabel } from './columns.tsx';
import type { Group, GroupName } from './groups.ts';
import { OrderCard } from './order-card.tsx';

type Row = { kind: 'heading'; name: GroupName; count: number } | { kind: 'order'; order: BoardOrder };

const HEADING_PX = 40;
const CARD_ESTIMATE_PX = 160;
const GAP_PX = 8;

/** For narrow screens: the same groups, stacked. Without `groups`, just the orders. */
export function BoardList({ groups, label }: { groups: readonly Group[]; label: string }) {
  const rows = useMemo(() => groups.flatMap(toRows), [groups]);
  return <VirtualRows rows={rows} label={label} hasState={false} />;
}

export function FoundList({ orders, label }: { orders: readonly BoardOrder[]; label: string }) {
  const rows = useMemo(() => orders.map((order): Row => ({ kind: 'order', order })), [orders]);
  return <VirtualRows rows={rows} label={label} hasState />;
}

function toRows(group: Group): Row[] {
  if (group.orders.length === 0) return [];
  const { name, orders } = group;
  return [{ kind: 'heading', name, count: orders.length }, ...orders.map((order): Row => ({ kind: 'order', order }))];
}

function VirtualRows({ rows, label, hasState }: { rows: readonly Row[]; label: string; hasState: boolean }) {
  const list = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  useLayoutEffect(() => setTop(list.current?.offsetTop ?? 0), []);
  const virtual = useWindowVirtualizer({
    count: rows.length,
    estimateSize: (index) => (rows[index]?.kind === 'heading' ? HEADING_PX : CARD_ESTIMATE_PX),
    getItemKey: (index) => keyOf(rows[index]) ?? index,
    scrollMargin: top,
    gap: GAP_PX,
    overscan: 4,
  });
  const shown = virtual.getVirtualItems();
  return (
    <div ref={list} role="list" aria-label={label} className="relative" style={{ height: virtual.getTotalSize() }}>
      {/* In normal document flow, so that a growing card never overlaps the next. */}
      <div
        className="absolute inset-x-0 top-0 flex flex-col gap-2"
        style={{ transform: `translateY(${(shown[0]?.start ?? top) - top}px)` }}
      >
        {shown.map((item) => {
          const row = rows[item.index];
          return (
            row !== undefined && (
              <div key={item.key} ref={virtual.measureElement} data-index={item.index} role="listitem">
                {row.kind === 'heading' ? <Heading {...row} /> : <OrderCard order={row.order} hasState={hasState} />}
              </div>
            )
          );
        })}
      </div>
    </div>
  );
}

function keyOf(row: Row | undefined): string | undefined {
  return row?.kind === 'heading' ? row.name : row?.order.id;
}

function Heading({ name, count }: { name: GroupName; count: number }) {
  return (
    <div className="flex items-center gap-2 pt-3 pb-1">
      <GroupDot name={name} />
      <h2 className="text-sm font-semibold">{groupLabel(name).name}</h2>
      <span className="text-sm text-ink-faint tabular">{count}</span>
    </div>
  );
}
