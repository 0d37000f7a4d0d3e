// Operator routes: the overview, the audit log and the settings in force.
import { auditLogApi } from '../../../contract/panel/operator/audit-log.ts';
import { overviewApi } from '../../../contract/panel/operator/overview.ts';
import { formatUtc } from '../../../domain/time.ts';
import { searchAudit } from '../../../store/people/audit-log-search.ts';
import { ok } from '../../protocol/answer.ts';
import { panelRoute } from '../route.ts';

const OPERATORS = ['operator'] as const;
const PAGE_ENTRIES = 50;

export const operatorOverviewRoutes = [
  panelRoute(overviewApi.read, {
    roles: OPERATORS,
    handler: async (deps) => ok(await deps.operator.readOverview()),
  }),
  panelRoute(auditLogApi.search, {
    roles: OPERATORS,
    handler: async (deps, { query }) => {
      const page = await searchAudit(deps.db, {
        actor: query.actor,
        action: query.action,
        restaurantId: query.restaurantId ?? null,
        from: query.from === undefined ? null : Date.parse(query.from),
        until: query.until === undefined ? null : Date.parse(query.until),
        before: query.before ?? null,
        limit: PAGE_ENTRIES,
      });
      const entries = page.entries.map((entry) => ({ ...entry, at: formatUtc(entry.at) }));
      return ok({ entries, next: page.next });
    },
  }),
  panelRoute(auditLogApi.readSettings, {
    roles: OPERATORS,
    handler: (deps) => ok({ settings: [...deps.operator.settings] }),
  }),
];
