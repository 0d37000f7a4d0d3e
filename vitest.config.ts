import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { COMPILE_CACHE } from './harness/nodes/compile-cache.ts';
import { SlowFilesFirst } from './test/slow-files-first.ts';

// Polled conditions hold within milliseconds, or within seconds on a busy machine. With vitest's default of 1 second,
// tests would fail for lack of processor time.
const PATIENT = { poll: { timeout: 20_000 } };

// The test files of a worker share its modules, because importing the service costs more than most files' tests. So a
// test must leave nothing changed behind it.
const SHARING = { isolate: false, restoreMocks: true };

// For the processes that tests start.
const ENVIRONMENT = { NODE_COMPILE_CACHE: COMPILE_CACHE };

// Not run on an external database. These tests use no database, or only their own, or run no statement that other tests
// do not run: they cover processes, pages, mail and network protocols.
const OF_NO_DATABASE = [
  'bench/**',
  'failover/**',
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
  'test/flows/running/package.test.ts',
  'test/flows/running/systemd-unit.test.ts',
  'test/flows/running/previous-version.test.ts',
  'test/flows/nodes/crash.test.ts',
  'test/flows/orders/robots.test.ts',
  'test/monitoring/alert-rules.test.ts',
  'test/monitoring/dashboards.test.ts',
  'test/flows/running/worker-processes.test.ts',
  'test/simulation/**',
];
const isBroughtAlong = process.env['WAYBILL_TEST_DATABASE_URL'] !== undefined;

export default defineConfig({
  test: {
    // One database server for all projects.
    globalSetup: ['test/servers/database-setup.ts'],
    // Most tests wait for a disk, a socket or a timer. This many workers keep the cores busy.
    maxWorkers: 2 * availableParallelism(),
    sequence: { sequencer: SlowFilesFirst },
    projects: [
      {
        test: {
          name: 'service',
          include: [
            'src/**/*.test.ts',
            'test/**/*.test.ts',
            'bench/**/*.test.ts',
            'city/**/*.test.ts',
            'failover/**/*.test.ts',
            'harness/**/*.test.ts',
            'panel/**/*.test.ts',
          ],
          exclude: ['test/e2e/**', '**/node_modules/**', ...(isBroughtAlong ? OF_NO_DATABASE : [])],
          testTimeout: 30_000,
          hookTimeout: 60_000,
          expect: PATIENT,
          env: ENVIRONMENT,
          ...SHARING,
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
          env: ENVIRONMENT,
          ...SHARING,
          // Runs after the others, because these tests assert what a page shows in time.
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
