import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { hashPassword, verifyPassword } from './passwords.ts';

test('the right password is recognised and a wrong one is not', async () => {
  const hash = await hashPassword('correct horse', randomBytes);
  expect(await verifyPassword('correct horse', hash)).toBe(true);
  expect(await verifyPassword('correct horsf', hash)).toBe(false);
  expect(await verifyPassword('', hash)).toBe(false);
});

test('the same password never has the same hash, and the hash names argon2id and its cost', async () => {
  const [first, second] = await Promise.all([hashPassword('x', randomBytes), hashPassword('x', randomBytes)]);
  expect(first).not.toBe(second);
  expect(first).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/);
});

// A test vector of the Argon2 reference implementation, with a lower cost than ours.
test('hashes of another cost still verify, so that the cost can rise', async () => {
  const hash = '$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4';
  expect(await verifyPassword('password', hash)).toBe(true);
  expect(await verifyPassword('Password', hash)).toBe(false);
});

test('a text that is no hash is a bug, not a wrong password', async () => {
  await expect(verifyPassword('x', 'plain')).rejects.toThrow('not an argon2id hash');
});

test('many checks at once all get their answer', async () => {
  const hash = await hashPassword('x', randomBytes);
  const answers = await Promise.all(
    Array.from({ length: 6 }, (_, index) => verifyPassword(index % 2 === 0 ? 'x' : 'y', hash)),
  );
  expect(answers).toEqual([true, false, true, false, true, false]);
});
