// Support cases: reminders for the operator to contact an integrator whose endpoint keeps failing.
import type { CaseRequest } from '../../../actions/webhooks/support/case-changes.ts';
import { addSupportNote } from '../../../actions/webhooks/support/add-support-note.ts';
import { markCaseContacted } from '../../../actions/webhooks/support/mark-case-contacted.ts';
import { probeCase } from '../../../actions/webhooks/support/probe-case.ts';
import { resolveSupportCase } from '../../../actions/webhooks/support/resolve-support-case.ts';
import { supportApi, type SupportCaseDetail, type SupportCaseView } from '../../../contract/panel/operator/support.ts';
import { refuse, refused, type Refused } from '../../../domain/refusals.ts';
import { formatUtc } from '../../../domain/time.ts';
import { listOwnerAddresses, readEndpointTrouble } from '../../../store/webhooks/endpoint-health.ts';
import {
  findSupportCase,
  listSupportCasesIn,
  listSupportNotes,
  type SupportCase,
} from '../../../store/webhooks/support-cases.ts';
import { readUpkeepGauges } from '../../../store/upkeep/upkeep-gauges.ts';
import { ok, type Answer } from '../../protocol/answer.ts';
import { done } from '../guard.ts';
import { describeInspection } from '../endpoint-inspection.ts';
import { panelRoute, type Nothing, type PanelDeps, type PanelSession } from '../route.ts';

const OPERATORS = ['operator'] as const;
const MAX_CASES = 200;

export const operatorSupportRoutes = [
  panelRoute(supportApi.list, {
    roles: OPERATORS,
    handler: async (deps, { query }) => {
      const [cases, gauges] = await Promise.all([
        listSupportCasesIn(deps.db, query.state, MAX_CASES),
        readUpkeepGauges(deps.db, deps.clock.now()),
      ]);
      return ok({ cases: cases.map(describeCase), counts: gauges.supportCases });
    },
  }),
  panelRoute(supportApi.read, {
    roles: OPERATORS,
    handler: async (deps, call) => {
      const supportCase = await findSupportCase(deps.db, call.params.caseId);
      return supportCase === undefined ? refused(refuse('PANEL_001')) : ok(await describeDetail(deps, supportCase));
    },
  }),
  panelRoute(supportApi.markContacted, {
    roles: OPERATORS,
    handler: (deps, call) => act(call, (request) => markCaseContacted(deps, request)),
  }),
  panelRoute(supportApi.addNote, {
    roles: OPERATORS,
    handler: (deps, call) => act(call, (request) => addSupportNote(deps, { ...request, note: call.body.note })),
  }),
  panelRoute(supportApi.resolve, {
    roles: OPERATORS,
    handler: (deps, call) => act(call, (request) => resolveSupportCase(deps, request)),
  }),
  panelRoute(supportApi.probe, {
    roles: OPERATORS,
    handler: async (deps, call) => {
      const { caseId } = call.params;
      const request = { caseId, scope: 'everything', actor: call.session.actor } as const;
      const inspector = { inspect: (url: string) => call.client.pauseFor(deps.sender.inspect(url)) };
      const result = await probeCase({ ...deps, inspector }, request);
      if (result.kind === 'refused') return result;
      return ok({
        inspection: describeInspection(result.inspection),
        sent: result.sent?.result ?? null,
      });
    },
  }),
];

interface CaseCall {
  params: { caseId: string };
  session: PanelSession;
}

async function act(
  { params: { caseId }, session }: CaseCall,
  change: (request: CaseRequest) => Promise<{ kind: 'contacted' | 'noted' | 'resolved' | 'unchanged' } | Refused>,
): Promise<Answer<Nothing>> {
  const result = await change({ caseId, scope: 'everything', actor: session.actor });
  return result.kind === 'refused' ? result : done();
}

async function describeDetail(deps: PanelDeps, supportCase: SupportCase): Promise<SupportCaseDetail> {
  const { contactEmail, restaurantId } = supportCase;
  const [trouble, notes, owners] = await Promise.all([
    readEndpointTrouble(deps.db, supportCase),
    listSupportNotes(deps.db, supportCase.id),
    contactEmail === null ? listOwnerAddresses(deps.db, restaurantId) : [contactEmail],
  ]);
  return {
    ...describeCase(supportCase),
    contacts: owners,
    waiting: trouble.waiting,
    failedAttempts: trouble.failedAttempts,
    oldestWaitingAt: formatUtc(trouble.oldestWaitingAt),
    lastErrors: trouble.lastErrors.map((error) => ({ ...error, at: formatUtc(error.at) })),
    notes: notes.map((note) => ({ ...note, at: formatUtc(note.at) })),
  };
}

function describeCase(whole: SupportCase): SupportCaseView {
  const { contactEmail: _contact, ...supportCase } = whole;
  return {
    ...supportCase,
    failingSince: formatUtc(supportCase.failingSince),
    openedAt: formatUtc(supportCase.openedAt),
    contactedAt: formatUtc(supportCase.contactedAt),
    resolvedAt: formatUtc(supportCase.resolvedAt),
  };
}
