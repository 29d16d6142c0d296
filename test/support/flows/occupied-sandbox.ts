import { once } from 'node:events';
import type { Piscina } from 'piscina';
import { onTestFinished, vi } from 'vitest';
import { evaluateProgramTask } from '../../../shared/adapters/code/tasks.ts';
import { placesPerTenant, type ThreadRequest, threads } from '../../../shared/adapters/sandbox/pool.ts';
import { tenantSandbox } from '../../../shared/adapters/sandbox/sandbox.ts';

const code = 'while (true);';

/**
 * Has a tenant's threads taken, and many tasks wait for them, until the test is over. The tasks only take the places:
 * if they computed, all other tests would wait for the processor.
 */
export function occupy(tenant: string): void {
  const stop = new AbortController();
  const run = threads().run.bind(threads());
  const spy = vi.spyOn(threads(), 'run');
  spy.mockImplementation((sent: ThreadRequest, options: Parameters<Piscina['run']>[1]) =>
    JSON.stringify(sent.inputs).includes(code) ? until(stop.signal) : run(sent, options),
  );
  const task = { kind: 'script', code, variables: '{}', withheld: [], timeoutMs: 60_000 } as const;
  const limits = { timeoutMs: 60_000, signal: stop.signal };
  const all = Array.from({ length: 20 * placesPerTenant }, () =>
    tenantSandbox(tenant)(evaluateProgramTask, task, limits),
  );
  const over = Promise.allSettled(all);
  onTestFinished(async () => {
    stop.abort();
    await over;
    spy.mockRestore();
  });
}

const until = async (signal: AbortSignal) => {
  await once(signal, 'abort');
  signal.throwIfAborted();
};
