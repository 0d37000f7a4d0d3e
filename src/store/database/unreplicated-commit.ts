// Recognizes the warning of a commit that did not wait for its standby.

/** The fields of a notice that do not depend on the language of the server. */
export interface Notice {
  code: string | undefined;
  routine: string | undefined;
}

const SYNC_REP_ROUTINE = 'SyncRepWaitForLSN';
const WARNING = '01000';

/**
 * With synchronous replication, a canceled wait commits locally and reports that only as a warning. Its code is that of
 * every warning and its text is in the server's language, so the function that raised it identifies it. A server that
 * does not say which function that was is not trusted: our statements raise no other warnings.
 */
export function isUnreplicatedCommit({ code, routine }: Notice): boolean {
  return routine === undefined ? code === WARNING : routine === SYNC_REP_ROUTINE;
}
