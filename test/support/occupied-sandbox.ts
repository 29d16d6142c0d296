import { onTestFinished } from 'vitest';
import { evaluateProgram } from '../../shared/adapters/code/tasks.ts';
import { sandboxOf } from '../../shared/adapters/sandbox/sandbox.ts';

/** Has a tenant's threads compute, and many tasks wait for them, until the test is over. */
export function occupy(tenant: string): void {
  const stop = new AbortController();
  const task = {
    kind: 'script',
    code: 'while (true);',
    variables: '{}',
    withheld: [],
    timeoutMs: 60_000,
  } as const;
  const limits = { timeoutMs: 60_000, signal: stop.signal };
  const all = Array.from({ length: 20 }, () => sandboxOf(tenant)(evaluateProgram, task, limits));
  const over = Promise.allSettled(all);
  onTestFinished(async () => {
    stop.abort();
    await over;
  });
}
