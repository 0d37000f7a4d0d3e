import { expect, test } from 'vitest';
import { describeConnectFailure } from './connect-failure.ts';

const URL_WITH_PASSWORD = 'postgresql://way%40bill:hush-hush@db.example:5432/orders';

const withCode = (code: string): Error => Object.assign(new Error('as the driver says it'), { code });

test.each([
  [withCode('ECONNREFUSED'), /^The database at db\.example:5432 cannot be reached \(ECONNREFUSED\)\. Check/],
  [withCode('ENOTFOUND'), /cannot be reached \(ENOTFOUND\)/],
  [new Error('timeout expired'), /cannot be reached \(timeout expired\)/],
  [withCode('28P01'), /The password of user way@bill is wrong\. Correct it in DATABASE_URL\.$/],
  [withCode('3D000'), /The database "orders" does not exist\. Create it, or correct DATABASE_URL\.$/],
])('%s is reported in one sentence that says what to do, without the password', (error, sentence) => {
  const described = describeConnectFailure(error, URL_WITH_PASSWORD);
  expect(described).toMatch(sentence);
  expect(described).not.toContain('hush-hush');
});

test('a socket is identified by its folder', () => {
  const described = describeConnectFailure(withCode('ENOENT'), 'postgresql:///waybill?host=%2Frun%2Fpg');
  expect(described).toMatch(/^The database at \/run\/pg cannot be reached \(ENOENT\)/);
});
