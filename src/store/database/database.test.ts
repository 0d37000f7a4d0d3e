import { DatabaseError } from 'pg';
import { expect, test } from 'vitest';
import { NoWritableServer, ReadOnlyServer } from './connecting/writable-server.ts';
import { DatabaseUnavailable, toUnavailable } from './database.ts';

function databaseError(code: string, routine: string): DatabaseError {
  return Object.assign(new DatabaseError('what the server says, in its language', 0, 'error'), { code, routine });
}

function systemError(code: string): Error {
  return Object.assign(new Error(`something with ${code}`), { code });
}

const STANDBY = new ReadOnlyServer({ is_standby: true, is_read_only: true });

test.each([
  ['a read-only server', databaseError('25006', 'PreventCommandIfReadOnly')],
  ['an unlogged table of a standby', databaseError('0A000', 'get_relation_info')],
  ['a plan that a migration made invalid', databaseError('0A000', 'RevalidateCachedQuery')],
  ['a server that starts', databaseError('57P03', 'ProcessStartupPacket')],
  ['too many connections', databaseError('53300', 'InitProcess')],
  ['a lost connection', systemError('ECONNRESET')],
  ['a name server that does not answer yet', systemError('EAI_AGAIN')],
  ['a connection that ended between two statements', new Error('Client has encountered a connection error')],
  ['a standby instead of the primary', STANDBY],
  ['only standbys', new NoWritableServer([{ place: 'one', error: STANDBY }])],
])('%s is an outage', (_, error) => {
  expect(toUnavailable(error)).toBeInstanceOf(DatabaseUnavailable);
});

test.each([
  ['a feature that PostgreSQL does not have', databaseError('0A000', 'transformOnConflictClause')],
  ['a unique violation', databaseError('23505', '_bt_check_unique')],
  ['an undefined column', databaseError('42703', 'errorMissingColumn')],
  ['a mistake of ours', Object.assign(new TypeError('no'), { code: 'ERR_INVALID_ARG_TYPE' })],
])('%s is a bug, and stays what it is', (_, error) => {
  expect(toUnavailable(error)).toBe(error);
});
