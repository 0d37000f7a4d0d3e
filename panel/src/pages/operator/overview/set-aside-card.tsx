import { Link } from '@tanstack/react-router';
import type { OverviewAnswer, SetAsideEntry } from '../../../../../src/contract/panel/operator/overview.ts';
import { CopyButton } from '../../../ui/copy-button.tsx';
import { Card } from '../../../ui/content/page.tsx';
import { Table, type Column } from '../../../ui/content/table.tsx';
import { RelativeTime } from '../../../ui/time/times.tsx';
import { paths } from '../../../paths.ts';
import { overviewTexts } from '../../../texts/operator/overview.ts';
import { setAsideTexts } from '../../../texts/operator/set-aside.ts';

/** Work that a worker could not process: it blocks no other work, but an operator must resolve it. */
export function SetAsideCard({ setAside: { entries, count } }: { setAside: OverviewAnswer['setAside'] }) {
  return (
    <Card title={setAsideTexts.title} description={setAsideTexts.text} isFlush>
      <Table
        caption={setAsideTexts.title}
        columns={COLUMNS}
        rows={entries}
        keyOf={({ work, kind, id }) => `${work} ${kind} ${id}`}
      />
      {count > entries.length && (
        <p className="border-t px-5 py-3 text-sm text-ink-faint">{setAsideTexts.more(count - entries.length)}</p>
      )}
    </Card>
  );
}

const COLUMNS: readonly Column<SetAsideEntry>[] = [
  { header: setAsideTexts.subject, isTitle: true, cell: (entry) => <Subject entry={entry} /> },
  {
    header: setAsideTexts.what,
    isProse: true,
    cell: (entry) => (
      <span className="flex min-w-0 flex-col gap-0.5">
        <span>{meaningOf(entry).effect}</span>
        <span className="text-sm break-words text-ink-soft">{setAsideTexts.reason(entry.reason)}</span>
      </span>
    ),
  },
  {
    header: setAsideTexts.since,
    cell: ({ since }) => (
      <span className="whitespace-nowrap">
        <RelativeTime at={since} />
      </span>
    ),
  },
  { header: setAsideTexts.toDo, isProse: true, cell: (entry) => meaningOf(entry).toDo },
];

function meaningOf({ work, kind, name }: SetAsideEntry) {
  return name === null ? setAsideTexts.gone : setAsideTexts.meaning(work, kind);
}

/** With its id, which appears in the log. */
function Subject({ entry }: { entry: SetAsideEntry }) {
  const { kind, id, restaurantName } = entry;
  const words = describeSubject(entry);
  const link = linkTo(entry);
  return (
    <span className="flex min-w-0 flex-col">
      <span className="font-medium">
        {link === null ? (
          words
        ) : (
          <Link {...link} className="tabular text-accent hover:underline">
            {words}
          </Link>
        )}{' '}
        <CopyButton text={id} of={setAsideTexts.idOf(words)} look="quiet" isInline />
      </span>
      {kind !== 'restaurant' && restaurantName !== null && (
        <Link {...paths.restaurants(restaurantName)} className="text-sm text-ink-faint hover:underline">
          {restaurantName}
        </Link>
      )}
    </span>
  );
}

/** For example "Courier Bo Larsen". */
function describeSubject({ kind, name }: SetAsideEntry): string {
  if (name === null) return setAsideTexts.deleted[kind];
  return `${setAsideTexts.kinds[kind]} ${kind === 'order' ? overviewTexts.number(name) : name}`;
}

function linkTo({ kind, id, name }: SetAsideEntry) {
  if (name === null) return null;
  if (kind === 'order') return paths.operatorOrder(id);
  return kind === 'courier' ? paths.courierProfile(id) : paths.restaurants(name);
}
