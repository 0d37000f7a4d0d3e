import { expect, test } from 'vitest';
import { isUnreplicatedCommit } from './unreplicated-commit.ts';

test('an unreplicated commit is recognized in any language, and other warnings are not taken for one', () => {
  expect(isUnreplicatedCommit({ code: '01000', routine: 'SyncRepWaitForLSN' })).toBe(true);
  // The session is being closed as well.
  expect(isUnreplicatedCommit({ code: '57P01', routine: 'SyncRepWaitForLSN' })).toBe(true);
  expect(isUnreplicatedCommit({ code: '01000', routine: 'ExecuteTruncate' })).toBe(false);
  // A server or a proxy that names no function.
  expect(isUnreplicatedCommit({ code: '01000', routine: undefined })).toBe(true);
  expect(isUnreplicatedCommit({ code: '00000', routine: undefined })).toBe(false);
});
