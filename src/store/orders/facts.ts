// Reads the typed facts of an order from the database.
import type { JsonValue } from '../../domain/canonical-json.ts';
import { checkContentFacts, NO_FACTS, readContentFacts, type ContentFacts } from '../../domain/orders/content-facts.ts';
import { describeError, type Trouble } from '../../domain/upkeep/set-aside.ts';

/** Columns of `orders o` that `factsOf` reads. Content only for orders placed by an earlier version. */
export const FACTS_COLUMNS = 'o.facts, case when o.facts is null then o.content end as unread_content';

export interface FactsRow {
  facts: JsonValue | null;
  unreadContent: JsonValue | null;
}

/** Throws if the stored facts are unreadable: for readers that act on facts and set such an order aside. */
export function factsOf(row: FactsRow): ContentFacts {
  return row.facts === null ? readContentFacts(row.unreadContent) : checkContentFacts(row.facts);
}

/** For pages: shows an order with unreadable facts without them, because people still have to handle the order. */
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

/** Row by row, so that one unreadable row does not fail the others. */
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
