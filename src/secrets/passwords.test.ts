import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { hashPassword, verifyPassword } from './passwords.ts';

test('the right password is accepted and a wrong one is rejected', async () => {
  const hash = await hashPassword('correct horse', randomBytes);
  expect(await verifyPassword('correct horse', hash)).toBe(true);
  expect(await verifyPassword('correct horsf', hash)).toBe(false);
  expect(await verifyPassword('', hash)).toBe(false);
});

test('hashing a password twice gives different hashes, each naming argon2id and its cost', async () => {
  const [first, second] = await Promise.all([hashPassword('x', randomBytes), hashPassword('x', randomBytes)]);
  expect(first).not.toBe(second);
  expect(first).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/);
});

// A test vector of the Argon2 reference implementation, with a lower cost than ours.
test('hashes with a different cost still verify, so that the cost can be raised', async () => {
  const hash = '$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4';
  expect(await verifyPassword('password', hash)).toBe(true);
  expect(await verifyPassword('Password', hash)).toBe(false);
});

test('text that is not a hash is reported as a bug, not as a wrong password', async () => {
  await expect(verifyPassword('x', 'plain')).rejects.toThrow('not an argon2id hash');
});

test('many concurrent checks all complete', async () => {
  const hash = await hashPassword('x', randomBytes);
  const answers = await Promise.all(
    Array.from({ length: 6 }, (_, index) => verifyPassword(index % 2 === 0 ? 'x' : 'y', hash)),
  );
  expect(answers).toEqual([true, false, true, false, true, false]);
});
