// A separate database for each test that needs one, cloned from the migrated template.
import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Client, DatabaseError } from 'pg';
import { inject } from 'vitest';

export interface TestDatabase {
  url: string;
  drop(): Promise<void>;
}

// "source database is being accessed by other users": another test is cloning the template.
const OBJECT_IN_USE = '55006';
const CLONE_PAUSE_MS = 20;
const MAX_CLONE_TRIES = 500;

/** A copy of the migrated template, or of another test database that has no connections left. */
export async function createTestDatabase(original?: TestDatabase): Promise<TestDatabase> {
  const name = `waybill_test_${randomBytes(8).toString('hex')}`;
  const template = original === undefined ? inject('templateName') : new URL(original.url).pathname.slice(1);
  await withAdmin((admin) => clone(admin, name, template));
  const url = new URL(inject('adminUrl'));
  url.pathname = `/${name}`;
  return {
    url: url.href,
    drop: () => withAdmin((admin) => admin.query(`drop database if exists ${name} with (force)`)),
  };
}

async function clone(admin: Client, name: string, template: string): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await admin.query(`create database ${name} template ${template}`);
      return;
    } catch (error) {
      const isBusy = error instanceof DatabaseError && error.code === OBJECT_IN_USE;
      if (!isBusy || tries === MAX_CLONE_TRIES) throw error;
      await pause(CLONE_PAUSE_MS);
    }
  }
}

async function withAdmin(work: (admin: Client) => Promise<unknown>): Promise<void> {
  const admin = new Client({ connectionString: inject('adminUrl') });
  await admin.connect();
  try {
    await work(admin);
  } finally {
    await admin.end();
  }
}
