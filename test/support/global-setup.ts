import type { TestProject } from 'vitest/node';
import { type StackFacts, startStack } from '../../infra/local/stack.ts';
import { startModels } from './models.ts';

declare module 'vitest' {
  interface ProvidedContext {
    stack: StackFacts;
  }
}

/** One embedded stack in memory for the whole run, and a model server. The workers inherit its environment. */
export default async function setup(project: TestProject) {
  process.env.LOG_LEVEL = 'warn';
  const models = await startModels();
  process.env.GENERIC_OPENAI_BASE_URL = models.url;
  // So that a tenant's own provider key may name it.
  process.env.LOCAL_ALLOWED_HOSTS = new URL(models.url).host;
  const stack = await startStack({
    port: 0,
    onFailure(what) {
      throw new Error(what);
    },
  });
  project.provide('stack', stack.facts);
  return async () => {
    await stack.stop();
    await models.close();
  };
}
