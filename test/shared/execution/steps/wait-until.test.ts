import { expect, test } from 'vitest';
import type { Ports } from '../../../../shared/adapters/ports/ports.ts';
import type { FlowRecord } from '../../../../shared/adapters/ports/records-port.ts';
import { waitUntilStep } from '../../../../shared/domain/flows/step-types/wait-until.ts';
import type {
  AwaitsCaller,
  StepOutcome,
  Suspended,
} from '../../../../shared/execution/step-support/step-runner.ts';
import { waitUntilRunner } from '../../../../shared/execution/steps/wait-until.ts';
import { stepFailure } from '../../../support/flows/failure-of.ts';
import { emptyWorld } from '../../../support/stack/ports.ts';
import { actsOnce, configProblems, runStep } from './run-step.ts';

const id = 'record_01k9m4v7d3x8qz5w2r6t0y1hbn';
const variables = { limit: 3, _record: { id, metadata: { status: 'open' } } };

/** Runs the step as one that began `agoMs` ago, which may have been suspended since. */
async function resumed(config: object, agoMs: number, ports: Partial<Ports> = {}) {
  const now = new Date();
  const outcome: StepOutcome | Suspended | AwaitsCaller = await waitUntilRunner.run({
    config: waitUntilStep.config.parse(config),
    variables,
    render: async (text) => text,
    renderValue: async (value) => value,
    ports: { ...emptyWorld, now: () => now, ...ports },
    signal: new AbortController().signal,
    since: new Date(now.getTime() - agoMs),
    place: () => ({ path: '0', stepId: 'step', stepName: 'step', stepPath: 'step' }),
    ...actsOnce,
  });
  if ('awaitsCaller' in outcome) throw new Error('The step waits for the caller');
  return 'until' in outcome ? { suspendedForMs: outcome.until.getTime() - now.getTime() } : outcome;
}

test('a short delay is waited for in place', async () => {
  const { output } = await runStep('wait-until', { delayMs: 30 });
  expect(output).toEqual({ waitedMs: expect.any(Number), result: null });
  expect((output as { waitedMs: number }).waitedMs).toBeGreaterThanOrEqual(29);
});

test('a delay of more than ten seconds suspends the run until its end', async () => {
  expect(await resumed({ delayMs: 60_000 }, 0)).toEqual({ suspendedForMs: 60_000 });
  expect(await resumed({ delayMs: 60_000 }, 59_000)).toEqual({ suspendedForMs: 1_000 });
  expect(await resumed({ delayMs: 60_000 }, 60_000)).toEqual({ output: { waitedMs: 60_000, result: null } });
});

test('a condition that holds ends the wait at once; its value is the result', async () => {
  const { output } = await runStep('wait-until', { condition: 'limit + 1' }, { variables });
  expect(output).toMatchObject({ result: 4 });
});

test('polls a condition until it holds', async () => {
  const soon = Date.now() + 250;
  const { output } = await runStep('wait-until', { condition: `Date.now() > ${soon}`, pollIntervalMs: 100 });
  expect(output).toMatchObject({ result: true });
  expect(Date.now()).toBeGreaterThan(soon);
});

test('a condition sees the current state of the run’s record', async () => {
  let asked = 0;
  const find = async () => {
    const status = ++asked < 3 ? 'open' : 'done';
    return { id, metadata: { status } as object } as FlowRecord;
  };
  const ports = { records: { ...emptyWorld.records, find } };
  const config = { condition: '_record.metadata.status === "done"', pollIntervalMs: 100 };
  const { output } = await runStep('wait-until', config, { variables, ports });
  expect(output).toMatchObject({ result: true });
  expect(asked).toBe(3);
});

test('polling suspends the run after ten seconds, and then polls at most every ten seconds', async () => {
  const config = { condition: 'false', pollIntervalMs: 1_000, timeoutMs: 60_000 };
  expect(await resumed(config, 9_500)).toEqual({ suspendedForMs: 10_000 });
  expect(await resumed({ ...config, pollIntervalMs: 30_000 }, 0)).toEqual({ suspendedForMs: 30_000 });
  expect(await resumed(config, 55_000)).toEqual({ suspendedForMs: 5_000 });
});

test('a condition that does not hold in time fails the step', async () => {
  const error = await stepFailure(resumed({ condition: 'limit > 5', timeoutMs: 20_000 }, 20_000));
  expect(error).toMatchObject({
    message: 'The condition did not hold within 20000 ms: limit > 5',
    retryable: false,
  });
});

test('a condition that throws fails the step, and so does a deleted record', async () => {
  expect((await stepFailure(runStep('wait-until', { condition: 'nobody.there' }))).message).toContain(
    'nobody',
  );
  const ports = { records: { ...emptyWorld.records, find: async () => undefined } };
  const waiting = runStep('wait-until', { condition: '_record.x' }, { variables, ports });
  expect((await stepFailure(waiting)).message).toContain('deleted');
});

test('an aborted run stops waiting', async () => {
  const signal = AbortSignal.timeout(20);
  await expect(runStep('wait-until', { delayMs: 9_000 }, { signal })).rejects.toThrow();
});

test.each([
  [{}, 'condition'],
  [{ delayMs: 1, condition: 'true' }, 'condition'],
  [{ delayMs: -1 }, 'delayMs'],
  [{ delayMs: 31 * 86_400_000 }, 'delayMs'],
  [{ condition: 'true', pollIntervalMs: 99 }, 'pollIntervalMs'],
  [{ condition: 'true', timeoutMs: 0 }, 'timeoutMs'],
  [{ condition: 'tr ue' }, 'condition'],
])('saving the flow rejects %j', async (config, path) => {
  expect(await configProblems('wait-until', config)).toEqual([
    expect.stringMatching(new RegExp(`^${path}: `)),
  ]);
});
