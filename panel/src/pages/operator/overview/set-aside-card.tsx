import { Link } from '@tanstack/react-router';
import type { SetAsideEntry } from '../../../../../src/contract/panel/operator/overview.ts';
import { Card } from '../../../ui/content/page.tsx';
import { Table, type Column } from '../../../ui/content/table.tsx';
import { Age } from '../../../ui/time/times.tsx';
import { paths } from '../../../paths.ts';
import { overviewTexts } from '../../../texts/operator/overview.ts';

/** What a worker could not process: everyone else's work goes on, and somebody has to look at these. */
export function SetAsideCard({ entries }: { entries: readonly SetAsideEntry[] }) {
  return (
    <Card title={overviewTexts.setAsideTitle} description={overviewTexts.setAsideText} isFlush>
      <Table
        caption={overviewTexts.setAsideTitle}
        columns={COLUMNS}
        rows={entries}
        keyOf={({ work, kind, id }) => `${work} ${kind} ${id}`}
      />
    </Card>
  );
}

const COLUMNS: readonly Column<SetAsideEntry>[] = [
  {
    header: overviewTexts.setAsideWhat,
    isTitle: true,
    cell: (entry) => (
      <span className="flex min-w-0 flex-col">
        <span className="font-medium">
          {overviewTexts.setAsideKinds[entry.kind]} <Subject entry={entry} />
        </span>
        {entry.restaurantName !== null && (
          <span className="truncate text-sm text-ink-faint">{entry.restaurantName}</span>
        )}
      </span>
    ),
  },
  { header: overviewTexts.setAsideWhere, cell: ({ work }) => overviewTexts.setAsideWorks[work] },
  { header: overviewTexts.since, cell: ({ since }) => <Age since={since} /> },
  {
    header: overviewTexts.setAsideReason,
    cell: ({ reason }) => <span className="text-sm break-words text-ink-soft">{reason}</span>,
  },
];

function Subject({ entry: { kind, id, name } }: { entry: SetAsideEntry }) {
  if (name === null) return overviewTexts.setAsideGone;
  if (kind === 'restaurant') return name;
  const [path, text] =
    kind === 'order' ? [paths.operatorOrder(id), overviewTexts.number(name)] : [paths.courierProfile(id), name];
  return (
    <Link {...path} className="tabular text-accent hover:underline">
      {text}
    </Link>
  );
}
