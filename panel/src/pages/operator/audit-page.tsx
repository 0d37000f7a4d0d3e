import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { ScrollText } from 'lucide-react';
import type { AuditEntryView } from '../../../../src/contract/panel/operator/audit-log.ts';
import { auditLogQuery } from '../../api/operator/overview.ts';
import { Breakable } from '../../ui/content/breakable-text.tsx';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/content/empty-state.tsx';
import { Field } from '../../ui/forms/field.tsx';
import { PeriodFields } from '../../ui/forms/period-fields.tsx';
import { Page } from '../../ui/content/page.tsx';
import { SearchInput } from '../../ui/forms/search-input.tsx';
import { Table, type Column } from '../../ui/content/table.tsx';
import { ZonedTime } from '../../ui/time/times.tsx';
import { operatorTexts } from '../../texts/operator/overview.ts';
import { auditActionTexts, auditTexts } from '../../texts/operator/audit-log.ts';
import { toQueryTime } from '../../parts/zoned-input.ts';
import { ListCard } from './list-card.tsx';
import { RestaurantSelect } from './restaurant-select.tsx';

const ZONE = 'UTC';
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export function AuditPage() {
  const { actor, action, restaurant, from, until } = useSearch({ from: '/app/operator/audit' });
  const list = useInfiniteQuery(
    auditLogQuery({
      actor: actor?.trim(),
      action: action?.trim(),
      restaurantId: restaurant,
      from: toQueryTime(from, ZONE),
      until: toQueryTime(until, ZONE),
    }),
  );
  const rows = list.data?.pages.flatMap((page) => page.entries) ?? [];
  return (
    <Page title={auditTexts.title} description={auditTexts.description} width="full">
      <AuditFilterBar />
      <ListCard
        query={list}
        isEmpty={rows.length === 0}
        note={rows.length === 0 ? auditTexts.searchedFar : undefined}
        empty={
          !list.hasNextPage && (
            <EmptyState icon={<ScrollText />} title={auditTexts.nothing}>
              {auditTexts.nothingHint}
            </EmptyState>
          )
        }
      >
        <Table caption={auditTexts.title} columns={COLUMNS} rows={rows} keyOf={({ id }) => String(id)} />
      </ListCard>
    </Page>
  );
}

/** The filters are in the URL, so that links open the same list. */
function AuditFilterBar() {
  const search = useSearch({ from: '/app/operator/audit' });
  const navigate = useNavigate();
  const change = (filter: Partial<typeof search>): void =>
    void navigate({ to: '/operator/audit', search: { ...search, ...filter }, replace: true });
  const hasFilters = Object.values(search).some((value) => value !== undefined && value !== '');
  return (
    <div className="flex flex-wrap items-end gap-3">
      <SearchInput
        label={auditTexts.actor}
        value={search.actor ?? ''}
        onChange={(actor) => change({ actor })}
        className="w-full sm:w-52"
      />
      <Field
        label={auditTexts.action}
        placeholder={auditTexts.actionPlaceholder}
        frameClassName="w-full sm:w-52"
        spellCheck={false}
        value={search.action ?? ''}
        onChange={(event) => change({ action: event.target.value })}
      />
      <RestaurantSelect
        noneLabel={auditTexts.anyRestaurant}
        by="id"
        value={search.restaurant ?? ''}
        onChange={(restaurant) => change({ restaurant })}
      />
      <PeriodFields labels={auditTexts} period={search} onChange={change} />
      {hasFilters && (
        <Button look="quiet" onClick={() => void navigate({ to: '/operator/audit', search: {}, replace: true })}>
          {auditTexts.clear}
        </Button>
      )}
    </div>
  );
}

const COLUMNS: readonly Column<AuditEntryView>[] = [
  { header: auditTexts.at, cell: ({ at }) => <ZonedTime at={at} /> },
  {
    header: auditTexts.what,
    isTitle: true,
    cell: ({ action }) => (
      <span className="flex min-w-0 flex-col">
        <span className="font-medium lg:whitespace-nowrap">{auditActionTexts[action] ?? action}</span>
        <code className="font-mono text-xs text-ink-faint lg:whitespace-nowrap">
          <Breakable text={action} />
        </code>
      </span>
    ),
  },
  { header: auditTexts.actor, cell: ({ actor }) => <Breakable text={actor} /> },
  {
    header: auditTexts.clientAddress,
    cell: ({ clientAddress }) =>
      clientAddress === null ? (
        <span className="text-ink-faint">{auditTexts.noAddress}</span>
      ) : (
        <Breakable text={clientAddress} />
      ),
  },
  {
    header: operatorTexts.restaurant,
    cell: ({ restaurant }) => restaurant?.name ?? <span className="text-ink-faint">{auditTexts.installation}</span>,
  },
  { header: auditTexts.details, cell: ({ detail }) => <Details detail={detail} /> },
];

/** Ids are shown unbroken and last: they are for copying, not for reading. */
function Details({ detail }: { detail: AuditEntryView['detail'] }) {
  const facts = Object.entries(detail)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => ({ name, text: String(value), isId: UUID.test(String(value)) }))
    .toSorted((one, other) => Number(one.isId) - Number(other.isId));
  return (
    <dl className="flex min-w-0 flex-wrap justify-end gap-x-4 text-sm sm:justify-start">
      {facts.map(({ name, text, isId }) => (
        <div key={name} className="flex min-w-0 flex-wrap justify-end gap-x-1.5 sm:justify-start">
          <dt className="text-ink-faint">{name}</dt>
          <dd className={isId ? 'font-mono text-2xs leading-5 whitespace-nowrap text-ink-faint' : 'min-w-0'}>
            {isId ? text : <Breakable text={text} />}
          </dd>
        </div>
      ))}
    </dl>
  );
}
