import type { CaseRequest } from '../actions/webhooks/support/case-changes.ts';
import { addSupportNote } from '../actions/webhooks/support/add-support-note.ts';
import { markCaseContacted } from '../actions/webhooks/support/mark-case-contacted.ts';
import { probeCase } from '../actions/webhooks/support/probe-case.ts';
import { resolveSupportCase } from '../actions/webhooks/support/resolve-support-case.ts';
import { formatUtc } from '../domain/time.ts';
import type { ResendResult } from '../store/webhooks/delivery-log.ts';
import { listOwnerAddresses, readEndpointTrouble } from '../store/webhooks/endpoint-health.ts';
import { listSupportCases, listSupportNotes, type SupportCase } from '../store/webhooks/support-cases.ts';
import { createSender, type EndpointInspection } from '../webhooks/client/sender.ts';
import { findCase } from './lookup.ts';
import { failed } from './refusals.ts';
import { defineCommand, flag, type CommandContext, type JsonRecord, type Outcome } from './terminal/command.ts';
import { text, wholeNumber } from './terminal/inputs.ts';
import { done, doneList } from './terminal/render.ts';

const supportList = defineCommand({
  name: 'support list',
  usage: '[--all] [--limit N]',
  summary: 'List unresolved support cases, oldest first. --all lists all cases, newest first.',
  input: { all: flag, limit: wholeNumber.prefault('50') },
  run: ({ all, limit }, context) =>
    context.withSession(async (session) => {
      const cases = await listSupportCases(session.db, { includesResolved: all, limit });
      return doneList('cases', cases.map(describeCase));
    }),
});

const supportShow = defineCommand({
  name: 'support show',
  usage: '<case>',
  summary:
    'Show a support case with its contacts, numbers of waiting webhooks and failed attempts, last errors and notes.',
  input: { case: text },
  positionals: ['case'],
  run: (input, context) =>
    context.withSession(async ({ db }) => {
      const named = await findCase(db, input.case);
      if (named.kind === 'failed') return named;
      const supportCase = named.found;
      const { contactEmail, restaurantId } = supportCase;
      const trouble = await readEndpointTrouble(db, supportCase);
      const notes = await listSupportNotes(db, supportCase.id);
      return done(`Support case of ${supportCase.restaurantName}`, {
        ...describeCase(supportCase),
        url: supportCase.url,
        contacts: contactEmail === null ? await listOwnerAddresses(db, restaurantId) : [contactEmail],
        waiting: trouble.waiting,
        failedAttempts: trouble.failedAttempts,
        oldestWaitingAt: formatUtc(trouble.oldestWaitingAt),
        lastErrors: trouble.lastErrors.map(({ at, status, error }) => ({ at: formatUtc(at), status, error })),
        notes: notes.map(({ at, actor, note }) => ({ at: formatUtc(at), actor, note })),
      });
    }),
});

const supportNote = defineCommand({
  name: 'support note',
  usage: '<case> --text T',
  summary: 'Add a note to a support case.',
  input: { case: text, text },
  positionals: ['case'],
  run: (input, context) =>
    context.withSession(async (session) => {
      const named = await findCase(session.db, input.case);
      if (named.kind === 'failed') return named;
      const request = { ...whose(input.case, context), note: input.text };
      const result = await addSupportNote(session, request);
      if (result.kind === 'refused') return failed(result);
      return done('Note added.', { caseId: input.case, noted: true });
    }),
});

const supportContacted = defineCommand({
  name: 'support contacted',
  usage: '<case>',
  summary: 'Mark a support case as contacted.',
  input: { case: text },
  positionals: ['case'],
  run: (input, context) =>
    context.withSession(async (session) => {
      const named = await findCase(session.db, input.case);
      if (named.kind === 'failed') return named;
      const result = await markCaseContacted(session, whose(input.case, context));
      if (result.kind === 'refused') return failed(result);
      const headline = result.kind === 'contacted' ? 'Marked as contacted.' : 'It was already marked as contacted.';
      return done(headline, { caseId: input.case, state: 'contacted' });
    }),
});

const supportResolve = defineCommand({
  name: 'support resolve',
  usage: '<case>',
  summary: 'Resolve a support case by hand. It closes automatically when the endpoint accepts a webhook.',
  input: { case: text },
  positionals: ['case'],
  run: (input, context) =>
    context.withSession(async (session) => {
      const named = await findCase(session.db, input.case);
      if (named.kind === 'failed') return named;
      const result = await resolveSupportCase(session, whose(input.case, context));
      if (result.kind === 'refused') return failed(result);
      return done(result.kind === 'resolved' ? 'Support case resolved.' : 'The support case was already resolved.', {
        caseId: input.case,
        state: 'resolved',
      });
    }),
});

const supportProbe = defineCommand({
  name: 'support probe',
  usage: '<case>',
  summary: 'Check DNS, connection and certificate of the endpoint, and send its oldest waiting webhook.',
  input: { case: text },
  positionals: ['case'],
  run: (input, context) => probe(input.case, context),
});

const SENT: Record<ResendResult, string> = {
  queued: 'The endpoint is reachable. Its oldest waiting webhook is being sent. See the result with: support show',
  already_sending: 'The endpoint is reachable. A webhook is already being sent.',
  held: 'The endpoint is reachable, but its webhooks are held because the integration is disabled.',
  unknown: 'The endpoint is reachable. No webhooks are waiting.',
};

function probe(caseId: string, context: CommandContext): Promise<Outcome> {
  const { webhookAllowCidrs: allowCidrs, webhookCa } = context.config;
  return context.withSession(async (session) => {
    const named = await findCase(session.db, caseId);
    if (named.kind === 'failed') return named;
    const { clock } = session;
    const sender = createSender({ clock, allowCidrs, ...(webhookCa !== null && { caFile: webhookCa }) });
    try {
      const result = await probeCase({ ...session, inspector: sender }, whose(caseId, context));
      if (result.kind === 'refused') return failed(result);
      const { inspection, sent } = result;
      const headline = inspection.ok ? SENT[sent?.result ?? 'unknown'] : 'The endpoint cannot be reached.';
      return done(headline, { caseId, ...describeInspection(inspection), sentEventId: sent?.eventId ?? null });
    } finally {
      await sender.close();
    }
  });
}

function whose(caseId: string, { actor }: CommandContext): CaseRequest {
  return { caseId, scope: 'everything', actor };
}

function describeInspection(inspection: EndpointInspection): JsonRecord {
  const [certificate] = inspection.certificates;
  return {
    isReachable: inspection.ok,
    error: inspection.errorText,
    errorClass: inspection.errorClass,
    addresses: [...inspection.addresses],
    tlsVersion: inspection.tlsVersion,
    certificate: certificate?.subject ?? null,
    certificateDaysLeft: certificate?.daysLeft ?? null,
  };
}

function describeCase(supportCase: SupportCase) {
  return {
    caseId: supportCase.id,
    state: supportCase.state,
    restaurantId: supportCase.providerRestaurantId,
    restaurant: supportCase.restaurantName,
    endpoint: supportCase.endpoint,
    failingSince: formatUtc(supportCase.failingSince),
    openedAt: formatUtc(supportCase.openedAt),
    contactedAt: formatUtc(supportCase.contactedAt),
    resolvedAt: formatUtc(supportCase.resolvedAt),
    resolution: supportCase.resolution,
  };
}

export const supportCommands = [supportList, supportShow, supportNote, supportContacted, supportResolve, supportProbe];
