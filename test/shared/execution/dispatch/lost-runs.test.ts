import { expect, test } from 'vitest';
import { type Run, runEntity, toHour } from '../../../../shared/domain/runs/run.ts';
import { lostRuns } from '../../../../shared/execution/dispatch/lost-runs.ts';
import type { Scope } from '../../../../shared/platform/data/scope.ts';
import { template } from '../../../support/flows/flows.ts';
import { countingRuntime, newTenant } from '../../../support/stack/stack.ts';
import { dispatchHere } from './dispatch-here.ts';

const prompt = { type: 'prompt', name: 'ask', config: { model: 'generic-openai/any', userPrompt: 'x' } };

/** A run whose process dies after so many writes, of which the first two list it. */
async function died(writes: number, steps: object[]) {
  const tenant = await newTenant();
  let left = writes;
  const { result } = await dispatchHere(
    tenant,
    { flow: { name: 'Mortal', steps } },
    {
      before: (command) => {
        if (/Put|Transact|Update/.test(command) && left-- <= 0) throw new Error('The process died');
      },
    },
  );
  const scope: Scope = countingRuntime().scopeOf(tenant.tenant);
  const run = async () => (await scope.table.get(runEntity, { id: result.executionId })) as Run;
  return { scope, run, hour: toHour((await run()).startedAt) };
}

const whoever = () => true;

test('a run whose process crashed before its first checkpoint is ended in the list, once', async () => {
  const { scope, run, hour } = await died(2, [prompt]);
  expect(await run()).toMatchObject({ status: 'running' });
  await lostRuns(scope)(hour);
  expect(await run()).toMatchObject({ status: 'running' });
  await lostRuns(scope)(hour, whoever);
  const ended = await run();
  expect(ended).toMatchObject({
    status: 'failed',
    error: { code: 'RUN_FAILED', message: 'The process of the run crashed before the run ended' },
  });
  await lostRuns(scope)(hour, whoever);
  expect(await run()).toEqual(ended);
});

test('one that has ended stays as it ended', async () => {
  const { scope, run, hour } = await died(Number.POSITIVE_INFINITY, [template('x')]);
  const ended = await run();
  expect(ended).toMatchObject({ status: 'completed' });
  await lostRuns(scope)(hour, whoever);
  expect(await run()).toEqual(ended);
});
