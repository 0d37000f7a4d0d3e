// Creates weekly partitions for the rows about to be restored. Rows in the default partition would stay there until
// they expire.
import type { Client } from 'pg';
import type { Instant } from '../../domain/time.ts';
import { asQueryable } from '../database/database.ts';
import { attachWeek, listWeeks, weekColumnOf, weekOfTimestamp } from '../upkeep/history.ts';
import type { BackupTable } from './tables.ts';

type Rows = readonly (readonly (string | null)[])[];

/** The returned function is called with each batch before it is inserted. Does nothing if the table has no weeks. */
export async function createWeekMaker(client: Client, table: BackupTable): Promise<(rows: Rows) => Promise<void>> {
  const weekly = weekColumnOf(table.name);
  if (weekly === undefined) return () => Promise.resolve();
  const place = table.columns.findIndex(({ name }) => name === weekly.column);
  const tx = asQueryable(client);
  const existing = new Set(await listWeeks(tx, weekly.table));
  return async (rows) => {
    const wanted = new Set(rows.map((cells) => weekOfTimestamp(cells[place] ?? '')));
    for (const startsAt of [...wanted].filter((week): week is Instant => week !== undefined && !existing.has(week))) {
      // The default partition is locked and empty: the scan is free and blocks nobody.
      await attachWeek(tx, weekly.table, { startsAt, beginsAt: startsAt });
      existing.add(startsAt);
    }
  };
}
