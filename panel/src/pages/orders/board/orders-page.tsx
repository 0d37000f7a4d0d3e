import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { ClipboardList, SearchX } from 'lucide-react';
import { useDeferredValue, useEffect, useMemo } from 'react';
import type { BoardOrder } from '../../../../../src/contract/panel/orders/orders.ts';
import { isFinal, STATES } from '../../../../../src/domain/orders/order.ts';
import { MINUTE_MS } from '../../../../../src/domain/time.ts';
import { boardQuery, searchQuery, useLiveCards } from '../../../api/orders/orders.ts';
import { Badge } from '../../../parts/orders/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { EmptyState } from '../../../ui/content/empty-state.tsx';
import { ErrorState } from '../../../parts/error-state.tsx';
import { useMedia } from '../../../ui/media.ts';
import { useNow } from '../../../ui/time/now.ts';
import { SearchInput } from '../../../ui/forms/search-input.tsx';
import { Select } from '../../../ui/forms/select.tsx';
import { SkeletonRows } from '../../../ui/content/skeleton.tsx';
import { commonTexts } from '../../../texts/everywhere.ts';
import { orderTexts } from '../../../texts/orders/orders.ts';
import { stateTexts } from '../../../texts/orders/states.ts';
import { BoardAlarms } from '../../planning/alarms.tsx';
import { ApprovalReminder } from './approval-reminder.tsx';
import { BoardColumns } from './columns.tsx';
import { filterOrders, ISSUES, readFilter, type BoardFilter } from './filter.ts';
import { groupOrders } from './groups.ts';
import { BoardList, FoundList } from './list.tsx';
import { SoundQuestion, SoundSwitch } from './sound-controls.tsx';

const STATE_OPTIONS = [
  { value: '' as const, label: orderTexts.allStates },
  ...STATES.map((value) => ({ value, label: stateTexts[value].name })),
];
const MATTER_OPTIONS = [
  { value: '' as const, label: orderTexts.allIssues },
  ...ISSUES.map((value) => ({ value, label: orderTexts.issueKinds[value] })),
];
const NO_ORDERS: readonly BoardOrder[] = [];

export function OrdersPage() {
  useLiveCards();
  useEffect(() => {
    document.title = `${orderTexts.title} · ${commonTexts.product}`;
  }, []);
  const { q = '', ...search } = useSearch({ from: '/app/restaurant/orders' });
  const filter = readFilter(search);
  const board = useQuery(boardQuery);
  const orders = board.data?.orders ?? NO_ORDERS;
  const liveCount = useMemo(() => orders.filter((order) => !isFinal(order.state)).length, [orders]);
  return (
    <div className="flex min-h-0 flex-1 flex-col gap-5 pt-6 sm:pt-8">
      <header className="flex flex-wrap items-center gap-x-4 gap-y-3 px-4 sm:px-8">
        <h1 className="text-xl font-semibold tracking-tight sm:text-2xl">{orderTexts.title}</h1>
        <span aria-live="polite">{board.isSuccess && <Badge>{orderTexts.live(liveCount)}</Badge>}</span>
        <BoardFilters q={q} filter={filter} />
        <SoundSwitch />
      </header>
      <div className="flex flex-col gap-3 px-4 empty:hidden sm:px-8">
        <SoundQuestion />
        <ApprovalReminder orders={orders} />
        <BoardAlarms />
      </div>
      {q === '' ? (
        <Board query={board} orders={orders} filter={filter} />
      ) : (
        <div className="px-4 pb-6 sm:px-8">
          <Found text={q} />
        </div>
      )}
    </div>
  );
}

function useFilterChange() {
  const navigate = useNavigate({ from: '/orders' });
  return (next: { q?: string } & Partial<BoardFilter>): void =>
    void navigate({ search: (before) => ({ ...before, ...next }), replace: true });
}

function BoardFilters({ q, filter }: { q: string; filter: BoardFilter }) {
  const change = useFilterChange();
  return (
    <div className="order-last grid w-full grid-cols-2 gap-2 lg:order-none lg:ml-auto lg:flex lg:w-auto">
      <SearchInput
        label={orderTexts.search}
        placeholder={orderTexts.searchHint}
        value={q}
        onChange={(text) => change({ q: text })}
        className="col-span-2 min-w-0 lg:w-64"
      />
      <Select
        label={orderTexts.stateFilter}
        isLabelHidden
        options={STATE_OPTIONS}
        value={filter.state}
        onChange={(state) => change({ state })}
      />
      <Select
        label={orderTexts.issueFilter}
        isLabelHidden
        options={MATTER_OPTIONS}
        value={filter.only}
        onChange={(only) => change({ only })}
      />
    </div>
  );
}

interface BoardProps {
  query: { isPending: boolean; error: Error | null; refetch: () => unknown };
  orders: readonly BoardOrder[];
  filter: BoardFilter;
}

function Board({ query, orders, filter: { state, only } }: BoardProps) {
  const isWide = useMedia('(min-width: 64rem)');
  // Orders may become late while the page is open.
  const now = useNow(MINUTE_MS);
  const groups = useMemo(() => groupOrders(filterOrders(orders, { state, only }, now)), [orders, state, only, now]);
  if (query.isPending) return <SkeletonRows count={8} />;
  if (query.error !== null) return <ErrorState error={query.error} onRetry={() => void query.refetch()} />;
  if (groups.every((group) => group.orders.length === 0)) return <NoOrders isFiltered={state !== '' || only !== ''} />;
  if (isWide) return <BoardColumns groups={groups} />;
  return (
    <div className="px-4 pb-6 sm:px-8">
      <BoardList groups={groups} label={orderTexts.title} />
    </div>
  );
}

function NoOrders({ isFiltered }: { isFiltered: boolean }) {
  const change = useFilterChange();
  if (!isFiltered) {
    return (
      <EmptyState icon={<ClipboardList />} title={orderTexts.emptyTitle}>
        {orderTexts.emptyText}
      </EmptyState>
    );
  }
  return (
    <EmptyState
      icon={<SearchX />}
      title={orderTexts.filteredTitle}
      action={<Button onClick={() => change({ state: '', only: '' })}>{orderTexts.clearFilters}</Button>}
    >
      {orderTexts.filteredText}
    </EmptyState>
  );
}

function Found({ text }: { text: string }) {
  // Typing stays responsive while the last input is being searched.
  const deferred = useDeferredValue(text.trim());
  const found = useQuery({ ...searchQuery(deferred), placeholderData: (before) => before });
  if (found.isPending) return <SkeletonRows count={4} />;
  if (found.isLoadingError) return <ErrorState error={found.error} onRetry={() => void found.refetch()} />;
  const { orders } = found.data;
  return (
    <section aria-live="polite" className="flex max-w-3xl flex-col gap-3">
      <p className="label">{orderTexts.found(orders.length)}</p>
      {orders.length === 0 ? (
        <EmptyState icon={<SearchX />} title={orderTexts.notFoundTitle}>
          {orderTexts.notFoundText}
        </EmptyState>
      ) : (
        <FoundList orders={orders} label={orderTexts.found(orders.length)} />
      )}
    </section>
  );
}
