// Lists the problems on the overview that need action. Pure, so that the page only renders them.
import type { OverviewAnswer } from '../../../../../src/contract/panel/operator/overview.ts';
import { formatDuration } from '../../../ui/time/time-words.ts';
import { healthTexts } from '../../../texts/operator/overview.ts';

export interface Problem {
  key: 'setAside' | 'alarms' | 'late' | 'cases' | 'queue' | 'audit' | 'nodes' | 'clocks' | 'database' | 'mail' | 'loop';
  text: string;
}

/** Longer mail server outages are reported. */
const MAIL_LIMIT_SECONDS = 15 * 60;
/** Users notice delays beyond this. */
const LAG_LIMIT_MS = 250;

export function listProblems({ orders, supportCases, setAside, health }: OverviewAnswer): Problem[] {
  const { problems: say } = healthTexts;
  const alarms = orders.toLookAt.filter(({ alarm }) => alarm !== null).length;
  const late = orders.states.reduce((sum, state) => sum + state.late, 0);
  const differences = countDifferences(health);
  const silent = health.nodes.filter(({ isAlive }) => !isAlive).length;
  const hasSender = health.nodes.some(({ id, isAlive }) => id !== null && isAlive);
  const { mails, eventLoop } = health;
  const isMailStuck = mails.hasServer && mails.queued > 0 && mails.oldestSeconds > MAIL_LIMIT_SECONDS;
  const found: (Problem | false)[] = [
    setAside.count > 0 && { key: 'setAside', text: say.setAside(setAside.count) },
    alarms > 0 && { key: 'alarms', text: say.alarms(alarms) },
    late > 0 && { key: 'late', text: say.late(late) },
    supportCases.open > 0 && { key: 'cases', text: say.cases(supportCases.open) },
    health.deliveries.late > 0 && { key: 'queue', text: say.lateDeliveries(health.deliveries.late) },
    differences > 0 && { key: 'audit', text: say.differences(differences) },
    silent > 0 && { key: 'nodes', text: say.silentNodes(silent) },
    silent === 0 && !hasSender && { key: 'nodes', text: say.noNodes },
    ...describeClocks(health.nodes),
    health.database.connections.waiting > 0 && { key: 'database', text: say.connections },
    isMailStuck && { key: 'mail', text: say.mail(formatDuration(mails.oldestSeconds * 1000)) },
    eventLoop.p99Ms > LAG_LIMIT_MS && { key: 'loop', text: say.lag(Math.round(eventLoop.p99Ms)) },
  ];
  return found.filter((problem) => problem !== false);
}

type Node = OverviewAnswer['health']['nodes'][number];

/** If all clocks are off, the database's clock is probably wrong, and orders carry its times. */
function describeClocks(nodes: readonly Node[]): Problem[] {
  const { problems: say } = healthTexts;
  const skewed = nodes.filter(({ clockOffsetMs }) => clockOffsetMs !== 0);
  const [first] = skewed;
  if (first === undefined) return [];
  if (skewed.length === nodes.length) return [{ key: 'clocks', text: say.everyClock }];
  if (skewed.length === 1) return [{ key: 'clocks', text: say.clock(nameNode(first), describeOffset(first)) }];
  return [{ key: 'clocks', text: say.clocks(skewed.map(nameNode).join(', ')) }];
}

function nameNode({ id, roles }: Node): string {
  return id === null ? healthTexts.unnumberedName(roles.join(', ')) : healthTexts.nodeName(id);
}

/** "1 min ahead" */
export function describeOffset({ clockOffsetMs }: Pick<Node, 'clockOffsetMs'>): string {
  const offset = formatDuration(Math.abs(clockOffsetMs));
  return clockOffsetMs > 0 ? healthTexts.clockAhead(offset) : healthTexts.clockBehind(offset);
}

export function countDifferences(health: OverviewAnswer['health']): number {
  return health.audit.differences.reduce((sum, { count }) => sum + count, 0);
}
