import { refused, refuseValue, type Refused } from '../../../domain/refusals.ts';
import { insertSupportNote } from '../../../store/webhooks/support-cases.ts';
import { NOT_FOUND } from '../../administration.ts';
import { lockOwnCase, recordCaseChange, type CaseRequest, type SupportDeps } from './case-changes.ts';

const MAX_NOTE_LENGTH = 4_000;

export async function addSupportNote(
  deps: SupportDeps,
  request: CaseRequest & { note: string },
): Promise<{ kind: 'noted' } | Refused> {
  const note = request.note.trim();
  if (note === '' || note.length > MAX_NOTE_LENGTH || note.includes('\0') || !note.isWellFormed()) {
    return refused(refuseValue({ field: 'note', message: `Must be 1 to ${MAX_NOTE_LENGTH} characters` }));
  }
  return deps.db.transaction(async (tx) => {
    const supportCase = await lockOwnCase(tx, request);
    if (supportCase === undefined) return NOT_FOUND;
    const at = deps.clock.now();
    const { actor } = request;
    await insertSupportNote(tx, supportCase.id, { at, actor: actor.name, note });
    await recordCaseChange(tx, supportCase, { at, actor, action: 'support_case.noted' });
    return { kind: 'noted' };
  });
}
