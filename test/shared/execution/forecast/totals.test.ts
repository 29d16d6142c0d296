import { expect, test } from 'vitest';
import type { FlowStep } from '../../../../shared/domain/flows/steps/step.ts';
import { sumCosts, toStepTotal } from '../../../../shared/execution/forecast/totals.ts';

const step = { id: 'step_1', name: 'Ask', type: 'prompt' } as FlowStep;
const max = { calls: 1, cost: 0.5, response: 10 };

test('without a record that was looked at in time, nothing is said of the cost but that it is not known', () => {
  const others = [{ stepId: step.id, isReused: false, saved: 0, expected: undefined, max }];
  const total = toStepTotal(step, { total: 4, records: [], others });
  expect(total).toMatchObject({ calls: { expected: 0, max: 4 }, cost: null, basis: 'none' });
  expect(sumCosts([total])).toBeNull();
});
