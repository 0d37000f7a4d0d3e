import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

// How long a node takes to start is part of what these prove, so nothing else may want the processor.
const ALONE = ['test/flows/nodes/crash.test.ts'];

// A condition comes true within milliseconds, and within seconds on a machine that is busy: a second, which is what
// vitest waits, would make tests fail for want of a processor.
const PATIENT = { poll: { timeout: 20_000 } };

// Whoever brings a database wants to know what it does to the service. These ask none, or only their own, or ask nothing
// that others do not: they are about processes, pages, mails and the wire.
const OF_NO_DATABASE = [
  'bench/**',
  'harness/**',
  'panel/**',
  'src/contract/**',
  'src/domain/**',
  'src/embedded/**',
  'src/http/panel-routes.test.ts',
  'src/planning/travel/roads.test.ts',
  'src/embedded/shared-server.test.ts',
  'src/embedded/upgrade-database.test.ts',
  'src/webhooks/client/sender*.test.ts',
  'test/*.test.ts',
  'test/flows/harness/chaos.test.ts',
  'test/flows/harness/city*.test.ts',
  'test/flows/running/demo.test.ts',
  'test/flows/running/previous-version.test.ts',
  'test/flows/orders/robots.test.ts',
  'test/flows/running/worker-processes.test.ts',
  'test/simulation/**',
];
const isBroughtAlong = process.env['WAYBILL_TEST_DATABASE_URL'] !== undefined;

export default defineConfig({
  test: {
    // One database server for both.
    globalSetup: ['test/servers/database-setup.ts'],
    // Most tests wait for a disk, a socket or a timer: two at a time make use of two cores, and of more too.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    projects: [
      {
        test: {
          name: 'service',
          include: [
            'src/**/*.test.ts',
            'test/**/*.test.ts',
            'bench/**/*.test.ts',
            'city/**/*.test.ts',
            'harness/**/*.test.ts',
            'panel/**/*.test.ts',
          ],
          exclude: ['test/e2e/**', '**/node_modules/**', ...ALONE, ...(isBroughtAlong ? OF_NO_DATABASE : [])],
          testTimeout: 30_000,
          hookTimeout: 60_000,
          expect: PATIENT,
        },
      },
      {
        test: {
          name: 'alone',
          include: ALONE,
          testTimeout: 30_000,
          hookTimeout: 60_000,
          expect: PATIENT,
          fileParallelism: false,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          name: 'browser',
          include: ['test/e2e/**/*.test.ts'],
          globalSetup: ['test/browser/setup.ts'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
          expect: PATIENT,
          // After the others: what a page shows in time is part of what these prove.
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
