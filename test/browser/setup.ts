// Finds the browser before the first browser test, once for all of them, and only when there is such a test to run.
import type { TestProject } from 'vitest/node';
import { findBrowserProgram, type BrowserProgram } from '../../harness/browser/program.ts';

declare module 'vitest' {
  interface ProvidedContext {
    browserProgram: BrowserProgram;
  }
}

export async function setup(project: TestProject): Promise<void> {
  project.provide('browserProgram', await findBrowserProgram((line) => console.log(line)));
}
