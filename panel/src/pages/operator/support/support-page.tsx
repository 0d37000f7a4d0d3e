import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { LifeBuoy } from 'lucide-react';
import {
  CASE_STATES,
  type CaseState,
  type SupportCaseView,
} from '../../../../../src/contract/panel/operator/support.ts';
import { supportCasesQuery } from '../../../api/operator/support.ts';
import { Breakable } from '../../../ui/content/breakable-text.tsx';
import { EmptyState } from '../../../ui/content/empty-state.tsx';
import { ErrorState } from '../../../parts/error-state.tsx';
import { Card, Page } from '../../../ui/content/page.tsx';
import { SkeletonRows } from '../../../ui/content/skeleton.tsx';
import { Table, type Column } from '../../../ui/content/table.tsx';
import { Tabs } from '../../../ui/content/tabs.tsx';
import { Age, RelativeTime } from '../../../ui/time/times.tsx';
import { paths } from '../../../paths.ts';
import { operatorTexts } from '../../../texts/operator/overview.ts';
import { supportTexts } from '../../../texts/operator/support.ts';

export function SupportPage() {
  const search = useSearch({ from: '/app/operator/support' });
  const navigate = useNavigate();
  const state = CASE_STATES.find((candidate) => candidate === search.state) ?? 'open';
  const { data } = useQuery(supportCasesQuery(state));
  const countOf = (of: CaseState) => (of === 'resolved' ? undefined : data?.counts[of]);
  return (
    <Page title={supportTexts.title} description={supportTexts.description}>
      <Tabs
        label={supportTexts.tabs}
        value={state}
        onChange={(chosen) => void navigate(paths.supportCases(chosen))}
        tabs={CASE_STATES.map((value) => ({
          value,
          label: supportTexts.tab(supportTexts.states[value], countOf(value)),
          content: <CaseList state={value} />,
        }))}
      />
    </Page>
  );
}

function CaseList({ state }: { state: CaseState }) {
  const list = useQuery(supportCasesQuery(state));
  return (
    <Card isFlush>
      {list.isPending && <SkeletonRows count={3} />}
      {list.isError && list.data === undefined && <ErrorState error={list.error} onRetry={() => void list.refetch()} />}
      {list.data?.cases.length === 0 && (
        <EmptyState icon={<LifeBuoy />} title={supportTexts.empty[state]}>
          {supportTexts.emptyText}
        </EmptyState>
      )}
      {list.data !== undefined && list.data.cases.length > 0 && (
        <Table caption={supportTexts.title} columns={COLUMNS[state]} rows={list.data.cases} keyOf={({ id }) => id} />
      )}
    </Card>
  );
}

const SHARED: Column<SupportCaseView>[] = [
  {
    header: operatorTexts.restaurant,
    isTitle: true,
    cell: ({ id, restaurantName, providerRestaurantId }) => (
      <span className="flex min-w-0 flex-col">
        <Link {...paths.supportCase(id)} className="font-medium text-accent underline-offset-4 hover:underline">
          {restaurantName}
        </Link>
        <span className="truncate font-mono text-sm text-ink-faint">{providerRestaurantId}</span>
      </span>
    ),
  },
  {
    header: supportTexts.endpoint,
    cell: ({ endpoint, url }) => (
      <span className="flex min-w-0 flex-col text-right sm:text-left">
        <span>{supportTexts.endpoints[endpoint]}</span>
        <span className="text-sm text-ink-faint">
          <Breakable text={url ?? supportTexts.noUrl} />
        </span>
      </span>
    ),
  },
];

const COLUMNS: Record<CaseState, readonly Column<SupportCaseView>[]> = {
  open: [
    ...SHARED,
    { header: supportTexts.failingSince, cell: ({ failingSince }) => <Age since={failingSince} /> },
    { header: supportTexts.opened, cell: ({ openedAt }) => <RelativeTime at={openedAt} /> },
  ],
  contacted: [
    ...SHARED,
    { header: supportTexts.failingSince, cell: ({ failingSince }) => <Age since={failingSince} /> },
    {
      header: supportTexts.contactedAt,
      cell: ({ contactedAt }) => contactedAt !== null && <RelativeTime at={contactedAt} />,
    },
  ],
  resolved: [
    ...SHARED,
    {
      header: supportTexts.resolvedAt,
      cell: ({ resolvedAt }) => resolvedAt !== null && <RelativeTime at={resolvedAt} />,
    },
    {
      header: supportTexts.how,
      cell: ({ resolution }) => resolution !== null && supportTexts.resolutions[resolution],
    },
  ],
};
