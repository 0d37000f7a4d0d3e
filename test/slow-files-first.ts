import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Without results of an earlier run, vitest starts large files first. These take longer than their size suggests. */
const SLOW = [
  'test/flows/nodes/crash.test.ts',
  'test/flows/orders/content.test.ts',
  'test/e2e/every-page.test.ts',
  'test/e2e/courier-troubles.test.ts',
  'src/embedded/upgrade-database.test.ts',
  'test/flows/running/worker-processes.test.ts',
];

/** So that the last file to end is a short one. */
export class SlowFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isSlow = ({ moduleId }: TestSpecification): boolean => SLOW.some((file) => moduleId.endsWith(file));
    return [...sorted.filter(isSlow), ...sorted.filter((file) => !isSlow(file))];
  }
}
