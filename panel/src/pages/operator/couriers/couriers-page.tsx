import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { Bike, Plus } from 'lucide-react';
import { useState } from 'react';
import type { CourierEntry } from '../../../../../src/contract/panel/operator/couriers.ts';
import { formatCount } from '../../../../../src/domain/counts.ts';
import { couriersQuery } from '../../../api/operator/couriers.ts';
import { Button } from '../../../ui/button.tsx';
import { EmptyState } from '../../../ui/content/empty-state.tsx';
import { useNow } from '../../../ui/time/now.ts';
import { Page } from '../../../ui/content/page.tsx';
import { SearchInput } from '../../../ui/forms/search-input.tsx';
import { Table, type Column } from '../../../ui/content/table.tsx';
import { RelativeTime, ZonedTime } from '../../../ui/time/times.tsx';
import { paths } from '../../../paths.ts';
import { operatorTexts } from '../../../texts/operator/overview.ts';
import { couriersTexts, vehicleTexts } from '../../../texts/operator/couriers.ts';
import { CourierDialog } from './courier-dialog.tsx';
import { DutyBadge } from './duty-badge.tsx';
import { ListCard } from '../list-card.tsx';

export function CouriersPage() {
  const { q = '' } = useSearch({ from: '/app/operator/couriers' });
  const navigate = useNavigate();
  const list = useInfiniteQuery(couriersQuery(q));
  const [isAdding, setIsAdding] = useState(false);
  const rows = list.data?.pages.flatMap((page) => page.couriers) ?? [];
  return (
    <Page
      title={couriersTexts.title}
      description={couriersTexts.description}
      actions={
        <Button look="primary" icon={<Plus aria-hidden className="size-4" />} onClick={() => setIsAdding(true)}>
          {couriersTexts.add}
        </Button>
      }
    >
      <SearchInput
        label={couriersTexts.search}
        value={q}
        onChange={(text) => void navigate({ to: '/operator/couriers', search: { q: text }, replace: true })}
        className="w-full sm:max-w-sm"
      />
      <ListCard query={list} isEmpty={rows.length === 0} empty={<Nothing isSearch={q !== ''} />}>
        <Table caption={couriersTexts.title} columns={COLUMNS} rows={rows} keyOf={({ id }) => id} />
      </ListCard>
      {isAdding && <CourierDialog courier={null} onClose={() => setIsAdding(false)} />}
    </Page>
  );
}

/** Explains why a courier on duty gets no offers. */
function ShiftEnd({ courier: { shiftEndsAt, onDuty } }: { courier: CourierEntry }) {
  const now = useNow();
  if (shiftEndsAt === null) return null;
  const isOver = Date.parse(shiftEndsAt) <= now;
  if (isOver && !onDuty) return null;
  return (
    <span className="text-sm text-ink-faint">
      {isOver ? couriersTexts.shiftOver : couriersTexts.until} <ZonedTime at={shiftEndsAt} detail="time" />
    </span>
  );
}

function Nothing({ isSearch }: { isSearch: boolean }) {
  return (
    <EmptyState icon={<Bike />} title={isSearch ? operatorTexts.nothingFound : couriersTexts.empty}>
      {isSearch ? operatorTexts.nothingFoundHint : couriersTexts.emptyText}
    </EmptyState>
  );
}

const COLUMNS: readonly Column<CourierEntry>[] = [
  {
    header: couriersTexts.name,
    isTitle: true,
    cell: ({ id, name, phone }) => (
      <span className="flex min-w-0 flex-col">
        <Link {...paths.courierProfile(id)} className="font-medium text-accent underline-offset-4 hover:underline">
          {name}
        </Link>
        <span className="text-sm text-ink-faint tabular">{phone}</span>
      </span>
    ),
  },
  {
    header: couriersTexts.duty,
    cell: (courier) => (
      <span className="flex flex-col items-end gap-1 sm:items-start">
        <DutyBadge courier={courier} />
        <ShiftEnd courier={courier} />
      </span>
    ),
  },
  { header: couriersTexts.belongs, cell: ({ restaurant }) => restaurant?.name ?? couriersTexts.pool },
  {
    header: couriersTexts.vehicle,
    cell: ({ vehicle, capacity }) => (
      <span className="flex flex-col text-right sm:text-left">
        {vehicleTexts[vehicle]}
        <span className="text-sm text-ink-faint">{couriersTexts.bags(capacity)}</span>
      </span>
    ),
  },
  { header: couriersTexts.carrying, align: 'right', cell: ({ openOrders }) => formatCount(openOrders) },
  {
    header: couriersTexts.seen,
    cell: ({ position }) =>
      position === null ? (
        <span className="text-ink-faint">{couriersTexts.noPosition}</span>
      ) : (
        <RelativeTime at={position.reportedAt} />
      ),
  },
];
