// How the typed facts of an order leave the database.
import type { JsonValue } from '../../domain/canonical-json.ts';
import { checkContentFacts, NO_FACTS, readContentFacts, type ContentFacts } from '../../domain/orders/content-facts.ts';
import { describeError, type Trouble } from '../../domain/upkeep/set-aside.ts';

/** Columns of `orders o` that `factsOf` reads. Content only where an earlier version has placed the order. */
export const FACTS_COLUMNS = 'o.facts, case when o.facts is null then o.content end as unread_content';

export interface FactsRow {
  facts: JsonValue | null;
  unread_content: JsonValue | null;
}

/** Throws when the stored facts are unreadable: for readers that act on them, and set such an order aside. */
export function factsOf(row: FactsRow): ContentFacts {
  return row.facts === null ? readContentFacts(row.unread_content) : checkContentFacts(row.facts);
}

/** For pages: an order whose facts are unreadable is shown without them, because it still has to be dealt with. */
export function shownFactsOf(row: FactsRow): ContentFacts {
  try {
    return factsOf(row);
  } catch {
    return NO_FACTS;
  }
}

export interface ReadOrders<Value> {
  values: Value[];
  /** Orders whose row could not be read. */
  troubles: Trouble[];
}

/** Row by row, so that one that cannot be read costs nobody else theirs. */
export function readOrders<Row extends { id: string }, Value>(
  rows: readonly Row[],
  read: (row: Row) => Value,
): ReadOrders<Value> {
  const result: ReadOrders<Value> = { values: [], troubles: [] };
  for (const row of rows) {
    try {
      result.values.push(read(row));
    } catch (error) {
      result.troubles.push({ kind: 'order', id: row.id, reason: describeError(error) });
    }
  }
  return result;
}
