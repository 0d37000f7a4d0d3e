// Success that is concluded from rows that were found, not written.
//
// With synchronous replication, a commit is answered once the standby has it. If that wait is canceled or its session is
// killed, the row stays, visible to everyone, and a promotion of the standby loses it. A transaction that only reads
// waits for nothing, so the transaction that finds the row must make the standby confirm it, by committing a small record
// of the write-ahead log after reading. The standby confirms the log in order, so that record covers everything found.
import type { Queryable } from './database.ts';
import { createGroup } from './group-commit.ts';

/**
 * SQL: makes the commit of its transaction wait for the standby, and costs nothing without synchronous replication.
 * `pg_current_xact_id` fails with a proper code on a server that is in recovery; the message alone would not.
 */
export const CONFIRM_REPLICATED = `(
  select case
    when current_setting('synchronous_standby_names') = '' then null
    when pg_current_xact_id() is null then null
    else pg_logical_emit_message(true, 'waybill', '')
  end
)`;

/** For a transaction that may find that its work is already done. */
export async function confirmReplicated(db: Queryable): Promise<void> {
  await db.query({ name: 'confirm_replicated', text: `select ${CONFIRM_REPLICATED} as confirmed` });
}

/** Resolves when everything that was visible at the call is on the standby. Concurrent calls share a commit. */
export type ConfirmReplicated = () => Promise<void>;

const MAX_CALLS_PER_COMMIT = 1_000;

export function createReplicationCheck(db: Queryable): ConfirmReplicated {
  const confirm = createGroup<undefined, undefined>({
    maxSize: MAX_CALLS_PER_COMMIT,
    // A call must not join a commit that has already begun: what it read may have been written since.
    concurrency: 1,
    run: async (calls) => {
      await confirmReplicated(db);
      return calls;
    },
  });
  return () => confirm(undefined);
}
