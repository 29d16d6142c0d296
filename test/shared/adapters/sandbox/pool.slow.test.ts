import { expect, onTestFinished, test, vi } from 'vitest';
import { evaluateScript } from '../../../../shared/adapters/code/evaluate-code.ts';
import { placesPerTenant, threads } from '../../../../shared/adapters/sandbox/pool.ts';
import { tenantSandbox } from '../../../../shared/adapters/sandbox/sandbox.ts';
import { stepFailure } from '../../../support/flows/failure-of.ts';

const endless = 'while (true);';
/** A built-in that QuickJS cannot interrupt: only the end of the thread ends it. */
const uninterruptible = 'return Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1)';

test('the serving thread stays responsive while scripts run', async () => {
  const sandbox = tenantSandbox('busy');
  let over = false;
  const running = Promise.allSettled(
    Array.from({ length: placesPerTenant }, () =>
      evaluateScript(sandbox, uninterruptible, {}, { timeoutMs: 300 }),
    ),
  ).then((results) => {
    over = true;
    return results.map(({ status }) => status);
  });
  let turns = 0;
  while (!over) {
    await new Promise((resolve) => setTimeout(resolve, 1));
    turns++;
  }
  expect(await running).toEqual(Array(placesPerTenant).fill('rejected'));
  expect(turns).toBeGreaterThan(50);
});

test('a tenant that uses all its threads does not delay others', async () => {
  const stop = new AbortController();
  const limits = { timeoutMs: 20_000, signal: stop.signal };
  const hogs = Array.from({ length: 6 }, () =>
    evaluateScript(tenantSandbox('hog'), endless, {}, limits).catch(() => 'hog'),
  );
  const guest = evaluateScript(tenantSandbox('guest'), 'return "guest"', {});
  expect(await Promise.race([guest, ...hogs])).toBe('guest');
  stop.abort();
  await Promise.all(hogs);
}, 60_000);

test('memory has a hard limit and is released, whatever a script allocates', async () => {
  const sandbox = tenantSandbox('hoarder');
  const hoard = 'const all = []; while (true) all.push(new Uint8Array(2 ** 20).fill(1)); return all.length';
  const before = process.memoryUsage().rss;
  for (let round = 0; round < 3; round++) {
    const failures = await Promise.all(
      Array.from({ length: 4 }, () => stepFailure(evaluateScript(sandbox, hoard, {}))),
    );
    for (const { message } of failures) expect(message).toBe('The script needs more than 64 MB of memory');
  }
  expect(process.memoryUsage().rss - before).toBeLessThan(400_000_000);
});

test('aborting a run stops its script, also while it waits for a slot', async () => {
  const sandbox = tenantSandbox('stopped');
  const stop = new AbortController();
  const running = Array.from({ length: 8 }, () =>
    evaluateScript(sandbox, endless, {}, { timeoutMs: 30_000, signal: stop.signal }).catch((error) => error),
  );
  await new Promise((resolve) => setTimeout(resolve, 50));
  stop.abort(new Error('The run was stopped'));
  for (const failure of await Promise.all(running)) expect(failure).toEqual(new Error('The run was stopped'));
  expect(await evaluateScript(sandbox, 'return 1', {})).toBe(1);
});

test('TypeScript that hangs Node’s type stripper is terminated, and the next is not', async () => {
  const sandbox = tenantSandbox('stripper');
  const bomb = `const x = ${'<T>('.repeat(24)}1${')'.repeat(24)}`;
  const failure = await stepFailure(
    evaluateScript(sandbox, bomb, {}, { language: 'typescript', timeoutMs: 200 }),
  );
  expect(failure.message).toBe('The script took longer than 200 ms');
  expect(await evaluateScript(sandbox, 'return 1 as number', {}, { language: 'typescript' })).toBe(1);
});

test('a thread that fails while terminating, without a task, does not affect the process', async () => {
  // How Piscina tells it; an event of this name that nobody listens to ends the process.
  threads().emit('error', new Error('Worker terminated due to reaching memory limit'));
  expect(await evaluateScript(tenantSandbox('after'), '1 + 1', {})).toBe(2);
});

test('concurrent short scripts of a tenant share a request to a thread, each with its own result', async () => {
  const sandbox = tenantSandbox('many');
  const run = vi.spyOn(threads(), 'run');
  onTestFinished(() => run.mockRestore());
  const results = await Promise.all(
    Array.from({ length: 10 }, (_, n) => evaluateScript(sandbox, 'return n * 2', { n })),
  );
  expect(results).toEqual(Array.from({ length: 10 }, (_, n) => n * 2));
  const sizes = run.mock.calls.map(([{ inputs }]) => inputs.length);
  // On a slow machine the thread returns some of them, and each of those goes alone.
  expect(sizes[0]).toBe(10);
  expect(sizes.slice(1).every((size) => size === 1)).toBe(true);
});

test('of scripts in one request, one that breaks its thread fails alone', async () => {
  const sandbox = tenantSandbox('neighbours');
  const script = (n: number) => (n === 1 ? uninterruptible : `return ${n}`);
  const results = await Promise.allSettled(
    Array.from({ length: 4 }, (_, n) => evaluateScript(sandbox, script(n), {}, { timeoutMs: 300 })),
  );
  expect(results).toMatchObject([
    { status: 'fulfilled', value: 0 },
    { status: 'rejected', reason: { message: 'The script took longer than 300 ms' } },
    { status: 'fulfilled', value: 2 },
    { status: 'fulfilled', value: 3 },
  ]);
});

test('of scripts in one request, an aborted one does not affect the others', async () => {
  const sandbox = tenantSandbox('stopping one');
  const stop = new AbortController();
  const stopped = evaluateScript(sandbox, endless, {}, { timeoutMs: 500, signal: stop.signal });
  const other = evaluateScript(sandbox, 'return "other"', {}, { timeoutMs: 500 });
  stop.abort(new Error('no longer wanted'));
  await expect(stopped).rejects.toThrow('no longer wanted');
  expect(await other).toBe('other');
});
