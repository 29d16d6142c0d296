import { expect, test } from 'vitest';
import type * as z from 'zod';
import { getStepType, stepTypeNames } from '../../../../shared/domain/flows/step-types/index.ts';
import { loadStepRunner } from '../../../../shared/execution/steps/index.ts';

/** A new one needs a reason: a flow of other steps starts although the budgets are spent. */
const callsModels = [
  'execute-agent',
  'flow',
  'generate-embedding',
  'memory-summary',
  'prompt',
  'recall-memory',
  'save-memory',
  'tool-call',
  'vector-search',
];

test('each step type says whether it may call a model', () => {
  const those = stepTypeNames.filter((name) => getStepType(name).callsModels);
  expect(those.toSorted()).toEqual(callsModels);
});

test('each step type takes errorHandling', () => {
  const without = stepTypeNames.filter((name) => {
    const config: z.ZodType = getStepType(name).config;
    const onError = ['config', 'errorHandling', 'onError'].join();
    const { error } = config.safeParse({ errorHandling: { onError: 'no such policy' } });
    return !error?.issues.some(({ path }) => ['config', ...path].join() === onError);
  });
  expect(without).toEqual([]);
});

/** Results that never stand in for a step, though it may cost: a new one needs a reason here. */
const readsDataThatChanges = ['memory-summary', 'recall-memory', 'retrieve-record', 'vector-search'];
/** Each asks anew. */
const asks = ['approval', 'wait-for-callback'];

test.each(stepTypeNames)('%s says what it will do before it does it, if it costs or acts', async (name) => {
  const { effects, reusable, createConfig, branch } = getStepType(name);
  const holds = (createConfig && !branch) || name === 'flow';
  const free = holds ? ['hold'] : ['run'];
  expect(Object.keys(await loadStepRunner(name))).toEqual(effects ? ['plan', 'perform'] : free);
  expect(reusable).toBe(effects && ![...readsDataThatChanges, ...asks].includes(name));
});
