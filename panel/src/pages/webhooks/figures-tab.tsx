import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { ChartLine } from 'lucide-react';
import {
  FIGURE_RANGES,
  type FigureRange,
  type FiguresAnswer,
} from '../../../../src/contract/panel/webhooks/webhooks.ts';
import { figuresQuery } from '../../api/webhooks/webhooks.ts';
import { EmptyState } from '../../ui/content/empty-state.tsx';
import { ErrorState } from '../../parts/error-state.tsx';
import { Card } from '../../ui/content/page.tsx';
import { Select } from '../../ui/forms/select.tsx';
import { Skeleton } from '../../ui/content/skeleton.tsx';
import { Table, type Column } from '../../ui/content/table.tsx';
import { ZonedTime } from '../../ui/time/times.tsx';
import { figureTexts } from '../../texts/webhooks/webhooks.ts';
import { timingTexts } from '../../texts/webhooks/timing.ts';
import { FigureCharts } from './figure-charts.tsx';

const RANGES = FIGURE_RANGES.map((value) => ({ value, label: figureTexts.ranges[value] }));

export function FiguresTab() {
  const search = useSearch({ from: '/app/restaurant/webhooks' });
  const navigate = useNavigate();
  const range: FigureRange = search.range === '7d' ? '7d' : '24h';
  const figures = useQuery(figuresQuery(range));
  const hasAttempts = figures.data?.buckets.some(({ delivered, failed }) => delivered + failed > 0) ?? false;
  return (
    <div className="flex flex-col gap-4">
      <div className="w-48">
        <Select
          label={figureTexts.range}
          options={RANGES}
          value={range}
          onChange={(value) => void navigate({ to: '/webhooks', search: { ...search, range: value }, replace: true })}
        />
      </div>
      {figures.isPending && <Skeleton className="h-64 w-full" />}
      {figures.isLoadingError && <ErrorState error={figures.error} onRetry={() => void figures.refetch()} />}
      {figures.isSuccess && !hasAttempts && <EmptyState icon={<ChartLine />} title={figureTexts.empty} />}
      {figures.isSuccess && hasAttempts && (
        <>
          <FigureCharts buckets={figures.data.buckets} range={range} />
          {figures.data.sampledFrom !== null && (
            <p className="text-sm text-ink-soft">{figureTexts.sampled(figures.data.sampledFrom)}</p>
          )}
          <FigureTable buckets={figures.data.buckets} />
        </>
      )}
    </div>
  );
}

type Bucket = FiguresAnswer['buckets'][number];

const toMs = (ms: number | null): string => (ms === null ? figureTexts.none : timingTexts.milliseconds(ms));

const COLUMNS: Column<Bucket>[] = [
  { header: figureTexts.span, cell: ({ from }) => <ZonedTime at={from} /> },
  { header: figureTexts.delivered, align: 'right', cell: ({ delivered }) => delivered },
  { header: figureTexts.failed, align: 'right', cell: ({ failed }) => failed },
  {
    header: figureTexts.rate,
    align: 'right',
    cell: ({ delivered, failed }) =>
      delivered + failed === 0 ? figureTexts.none : figureTexts.percent(delivered / (delivered + failed)),
  },
  { header: figureTexts.p50, align: 'right', cell: ({ p50Ms }) => toMs(p50Ms) },
  { header: figureTexts.p95, align: 'right', cell: ({ p95Ms }) => toMs(p95Ms) },
];

function FigureTable({ buckets }: { buckets: readonly Bucket[] }) {
  return (
    <details>
      <summary className="py-2 text-sm text-accent">{figureTexts.asTable}</summary>
      <Card isFlush>
        <Table
          caption={figureTexts.tableCaption}
          columns={COLUMNS}
          rows={buckets.toReversed()}
          keyOf={({ from }) => from}
        />
      </Card>
    </details>
  );
}
