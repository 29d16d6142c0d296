import { expect, test } from 'vitest';
import { conditionalStep } from '../../../../shared/domain/flows/step-types/conditional.ts';
import { stepFailure } from '../../../support/flows/failure-of.ts';
import { configProblems, runStep } from './run-step.ts';

const variables = { _record: { metadata: { size: 12 } } };

test.each([
  ['_record.metadata.size > 10', { matched: true, result: true }],
  ['_record.metadata.size - 12', { matched: false, result: 0 }],
  ['_record.metadata.name', { matched: false, result: null }],
  ['variables._record.metadata', { matched: true, result: { size: 12 } }],
])('%s returns %j', async (condition, output) => {
  expect(await runStep('conditional', { condition }, { variables })).toEqual({ output });
});

test('the output determines the branch, so that a resumed run takes it again', () => {
  const step = (name: string) => ({ id: name, type: 'template', name, order: 0, enabled: true, config: {} });
  const config = { condition: 'true', trueSteps: [step('yes')], falseSteps: [step('no')] };
  const branch = (matched: boolean) => conditionalStep.branch?.(config, { matched, result: null });
  expect(branch(true)).toEqual({ name: 'true', steps: [step('yes')] });
  expect(branch(false)).toEqual({ name: 'false', steps: [step('no')] });
  expect(conditionalStep.branch?.({ condition: '1' }, { matched: true, result: 1 })).toEqual({
    name: 'true',
    steps: [],
  });
});

test('a condition that throws fails the step', async () => {
  const failure = await stepFailure(runStep('conditional', { condition: 'nobody.size' }));
  expect(failure.message).toBe("The expression failed: ReferenceError: 'nobody' is not defined (line 1)");
});

test.each([
  ['a >', "condition: Unexpected token ')' (line 2)"],
  [' ', 'condition: Expected an expression'],
])('the condition "%s" is rejected', async (condition, problem) => {
  expect(await configProblems('conditional', { condition })).toEqual([problem]);
});
