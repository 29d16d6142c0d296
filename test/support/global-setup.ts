import type { TestProject } from 'vitest/node';
import { type StackFacts, startStack } from '../../infra/local/stack.ts';

declare module 'vitest' {
  interface ProvidedContext {
    stack: StackFacts;
  }
}

/** One embedded stack in memory for the whole run. The workers inherit its environment. */
export default async function setup(project: TestProject) {
  const stack = await startStack({
    port: 0,
    onFailure(what) {
      throw new Error(what);
    },
  });
  project.provide('stack', stack.facts);
  return stack.stop;
}
