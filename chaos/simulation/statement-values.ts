// Reads what the real store passes along with its statements.
import type { Statement } from '../../src/store/database.ts';

export interface RecordedAttempt {
  eventId: string;
  number: number;
  delivered: boolean;
  failures: number;
  nextAttemptAt: number | null;
  endedAt: number;
}

export function nameOf(statement: Statement | string): string {
  if (typeof statement !== 'string' && statement.name !== undefined) return statement.name;
  const text = (typeof statement === 'string' ? statement : statement.text).trim();
  if (text.startsWith('insert into nodes')) return 'register_node';
  if (text.includes('delete from nodes where id = $1')) return 'retire_node';
  return text;
}

/** The columns of the statement, in its order. */
export function readRecords(values: readonly unknown[]): RecordedAttempt[] {
  const [eventIds, numbers, delivered, failures, nextAttempts, ends] = [1, 4, 5, 6, 7, 11].map((index) =>
    texts(values[index]),
  );
  return (eventIds ?? []).map((eventId, index) => ({
    eventId,
    number: Number(numbers?.[index]),
    delivered: delivered?.[index] === 'true',
    failures: Number(failures?.[index]),
    nextAttemptAt: delivered?.[index] === 'true' ? null : Number(nextAttempts?.[index]),
    endedAt: Number(ends?.[index]),
  }));
}

/** A list, or PostgreSQL's own way to write one. */
export function texts(value: unknown): string[] {
  if (typeof value === 'string' && value.startsWith('{')) return value === '{}' ? [] : value.slice(1, -1).split(',');
  if (!Array.isArray(value)) throw new Error('A statement was given something that is not a list');
  return value.map(String);
}
