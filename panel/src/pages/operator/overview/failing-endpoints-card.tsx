import { Link } from '@tanstack/react-router';
import { CircleCheck } from 'lucide-react';
import type { FailingEndpoint, OverviewAnswer } from '../../../../../src/contract/panel/operator/overview.ts';
import { formatCount } from '../../../../../src/domain/counts.ts';
import { Badge } from '../../../parts/orders/badge.tsx';
import { Breakable } from '../../../ui/content/breakable-text.tsx';
import { EmptyState } from '../../../ui/content/empty-state.tsx';
import { Card } from '../../../ui/content/page.tsx';
import { Table, type Column } from '../../../ui/content/table.tsx';
import { Age, RelativeTime } from '../../../ui/time/times.tsx';
import { paths } from '../../../paths.ts';
import { operatorTexts, overviewTexts } from '../../../texts/operator/overview.ts';
import { supportTexts } from '../../../texts/operator/support.ts';
import { CASE_TONES } from '../support/case-tones.ts';

export function FailingEndpointsCard({ endpoints }: { endpoints: OverviewAnswer['endpoints'] }) {
  const { failing, count, mostCounted } = endpoints;
  return (
    <Card title={overviewTexts.endpointsTitle} isFlush>
      {failing.length === 0 ? (
        <EmptyState icon={<CircleCheck />} title={overviewTexts.endpointsNone} />
      ) : (
        <Table
          caption={overviewTexts.endpointsTitle}
          columns={columnsFor(mostCounted)}
          rows={failing}
          keyOf={({ restaurantId, endpoint }) => `${restaurantId} ${endpoint}`}
        />
      )}
      {count > failing.length && (
        <p className="border-t px-5 py-3 text-sm text-ink-faint">
          {overviewTexts.endpointsMore(count - failing.length)}
        </p>
      )}
    </Card>
  );
}

function columnsFor(mostCounted: number): Column<FailingEndpoint>[] {
  return [
    {
      header: operatorTexts.restaurant,
      isTitle: true,
      cell: ({ restaurantName, endpoint, url }) => (
        <span className="flex min-w-0 flex-col">
          <span className="font-medium">
            {restaurantName} <span className="font-normal text-ink-soft">· {supportTexts.endpoints[endpoint]}</span>
          </span>
          <span className="text-sm text-ink-faint">
            <Breakable text={url ?? supportTexts.noUrl} />
          </span>
        </span>
      ),
    },
    { header: overviewTexts.since, cell: ({ failingSince }) => <Age since={failingSince} /> },
    {
      header: overviewTexts.waiting,
      align: 'right',
      cell: ({ waiting }) => (waiting < mostCounted ? formatCount(waiting) : overviewTexts.atLeast(mostCounted)),
    },
    {
      header: overviewTexts.nextAttempt,
      cell: ({ nextAttemptAt }) => nextAttemptAt !== null && <RelativeTime at={nextAttemptAt} />,
    },
    {
      header: overviewTexts.lastError,
      cell: ({ lastError }) => <span className="text-sm break-words text-ink-soft">{lastError}</span>,
    },
    {
      header: overviewTexts.supportCase,
      cell: ({ supportCase }) =>
        supportCase === null ? (
          <span className="text-sm text-ink-faint">{overviewTexts.noCase}</span>
        ) : (
          <Link {...paths.supportCase(supportCase.id)} className="underline-offset-4 hover:underline">
            <Badge tone={CASE_TONES[supportCase.state]}>{supportTexts.states[supportCase.state]}</Badge>
          </Link>
        ),
    },
  ];
}
