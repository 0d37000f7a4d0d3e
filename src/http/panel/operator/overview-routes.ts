// Operator routes: the overview, the audit log and the settings in force.
import { auditQuery, type AuditAnswer, type SettingsAnswer } from '../../../contract/panel/operator/audit-log.ts';
import { formatUtc } from '../../../domain/time.ts';
import { searchAudit } from '../../../store/people/audit-log-search.ts';
import { ok } from '../../protocol/answer.ts';
import { panelRoute } from '../route.ts';

const OPERATORS = ['operator'] as const;
const PAGE_ENTRIES = 50;

export const operatorOverviewRoutes = [
  panelRoute({
    method: 'GET',
    url: '/api/operator/overview',
    roles: OPERATORS,
    handler: async (deps) => ok(await deps.operator.readOverview()),
  }),
  panelRoute({
    method: 'GET',
    url: '/api/operator/audit',
    roles: OPERATORS,
    query: auditQuery,
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
      return ok({ entries, next: page.next } satisfies AuditAnswer);
    },
  }),
  panelRoute({
    method: 'GET',
    url: '/api/operator/settings',
    roles: OPERATORS,
    handler: (deps) => ok({ settings: [...deps.operator.settings] } satisfies SettingsAnswer),
  }),
];
