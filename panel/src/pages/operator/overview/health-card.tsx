import type { ReactNode } from 'react';
import type { SystemHealth } from '../../../../../src/contract/panel/operator/overview.ts';
import { formatCount } from '../../../../../src/domain/counts.ts';
import { Badge } from '../../../parts/orders/badge.tsx';
import { classes } from '../../../ui/class-names.ts';
import { formatBytes } from '../../../texts/numbers.ts';
import { useNow } from '../../../ui/time/now.ts';
import { Card } from '../../../ui/content/page.tsx';
import { Table, type Column } from '../../../ui/content/table.tsx';
import { formatDuration } from '../../../ui/time/time-words.ts';
import { RelativeTime } from '../../../ui/time/times.tsx';
import { healthTexts } from '../../../texts/operator/overview.ts';
import { countDifferences, describeOffset } from './health.ts';

const SECOND_MS = 1000;

export function HealthCard({ health }: { health: SystemHealth }) {
  const { deliveries, database, eventLoop } = health;
  const { total, idle, waiting } = database.connections;
  return (
    <Card title={healthTexts.title} isFlush>
      <dl className="grid gap-x-8 gap-y-5 border-t p-5 sm:grid-cols-2 lg:grid-cols-3">
        <Fact
          name={healthTexts.queue}
          isGood={deliveries.late === 0}
          value={healthTexts.queueText(deliveries.due, deliveries.late)}
        >
          {healthTexts.queueMore(deliveries.waiting, deliveries.held)}
        </Fact>
        <AuditFact health={health} />
        <MailFact mails={health.mails} />
        <Fact name={healthTexts.database} isGood={waiting === 0} value={formatBytes(database.sizeBytes)}>
          {waiting === 0 ? healthTexts.connections(total - idle, total) : healthTexts.connectionsWaiting(waiting)}
        </Fact>
        <Fact name={healthTexts.loop} isGood={eventLoop.p99Ms < 250} value={healthTexts.loopValue(eventLoop.p99Ms)}>
          {healthTexts.loopMore(eventLoop.meanMs)}
        </Fact>
        <PlannerFact planning={health.planning} />
      </dl>
      <h3 className="label border-t px-5 pt-4 pb-2">{healthTexts.nodes}</h3>
      <Table
        caption={healthTexts.nodes}
        columns={NODE_COLUMNS}
        rows={health.nodes}
        keyOf={({ id, startedAt }) => id ?? startedAt}
      />
    </Card>
  );
}

interface FactProps {
  name: string;
  value: string;
  isGood: boolean;
  children: ReactNode;
}

function Fact({ name, value, isGood, children }: FactProps) {
  return (
    <div className="flex flex-col gap-0.5">
      <dt className="flex items-center gap-2 text-sm text-ink-soft">
        <span
          role="img"
          aria-label={isGood ? healthTexts.good : healthTexts.bad}
          className={classes('size-2 rounded-full', isGood ? 'bg-good' : 'bg-danger')}
        />
        {name}
      </dt>
      <dd className="font-medium tabular">{value}</dd>
      <dd className="text-sm text-ink-faint">{children}</dd>
    </div>
  );
}

function AuditFact({ health }: { health: SystemHealth }) {
  const { lastPassAgeSeconds: age, lastPassSeconds: length } = health.audit;
  const differences = countDifferences(health);
  return (
    <Fact
      name={healthTexts.audit}
      isGood={differences === 0}
      value={differences === 0 ? healthTexts.auditGood : healthTexts.auditBad(differences)}
    >
      {age === null || length === null
        ? healthTexts.auditNever
        : healthTexts.auditPass(formatDuration(age * SECOND_MS), formatDuration(length * SECOND_MS))}
    </Fact>
  );
}

function MailFact({ mails }: { mails: SystemHealth['mails'] }) {
  const oldest = mails.queued === 0 ? null : healthTexts.mailOldest(formatDuration(mails.oldestSeconds * SECOND_MS));
  const refused = mails.refused === 0 ? null : healthTexts.mailRefused(mails.refused);
  const more = mails.hasServer ? [oldest, refused].filter((text) => text !== null) : [healthTexts.mailNoServer];
  return (
    <Fact
      name={healthTexts.mail}
      isGood={mails.refused === 0}
      value={mails.queued === 0 ? healthTexts.mailGood : healthTexts.mailQueued(mails.queued)}
    >
      {more.join(', ')}
    </Fact>
  );
}

function PlannerFact({ planning }: { planning: SystemHealth['planning'] }) {
  const now = useNow();
  if (planning === null) {
    return (
      <Fact name={healthTexts.planner} isGood value={healthTexts.plannerNever}>
        {null}
      </Fact>
    );
  }
  const age = formatDuration(now - Date.parse(planning.lastPlannedAt));
  return (
    <Fact name={healthTexts.planner} isGood value={healthTexts.plannerValue(planning.orders, planning.couriers)}>
      {healthTexts.plannerMore(age, Math.round(planning.slowestMs))}
    </Fact>
  );
}

type NodeRow = SystemHealth['nodes'][number];

function NodeClock({ node }: { node: NodeRow }) {
  return node.clockOffsetMs === 0 ? healthTexts.clockInStep : <Badge tone="danger">{describeOffset(node)}</Badge>;
}

const NODE_COLUMNS: readonly Column<NodeRow>[] = [
  { header: healthTexts.node, cell: ({ id }) => id ?? healthTexts.unnumbered },
  {
    header: healthTexts.roles,
    cell: ({ roles }) => (roles.length === 0 ? healthTexts.noRoles : roles.join(', ')),
  },
  {
    header: healthTexts.beat,
    cell: ({ isAlive, silentMs }) => (
      <span className="flex items-center gap-2">
        <Badge tone={isAlive ? 'good' : 'danger'}>
          {silentMs === null ? healthTexts.listensOnly : isAlive ? healthTexts.alive : healthTexts.silent}
        </Badge>
        {silentMs !== null && <span className="text-sm text-ink-faint tabular">{formatDuration(silentMs)}</span>}
      </span>
    ),
  },
  { header: healthTexts.clock, cell: (node) => <NodeClock node={node} /> },
  { header: healthTexts.started, cell: ({ startedAt }) => <RelativeTime at={startedAt} /> },
  { header: healthTexts.sending, align: 'right', cell: ({ sending }) => formatCount(sending) },
];
