// Finds the browser once, before the first browser test, and only if there is such a test to run.
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
