import { expect, test } from 'vitest';
import { dispatchSteps } from '../../support/budgets.ts';
import { limitedModel } from '../../support/limited-model.ts';
import { newTenant } from '../../support/stack.ts';

test('a call beyond the limit of a minute suspends its run, and a change holds at once', async () => {
  const tenant = await newTenant();
  const model = await limitedModel(tenant, { requestsPerMinute: 3 });
  for (let call = 0; call < 3; call++) {
    const { body } = await dispatchSteps(tenant, [model.step()]);
    expect(body).toMatchObject({ success: true, output: expect.stringMatching(/^\d+$/) });
  }
  const { body } = await dispatchSteps(tenant, [model.step()]);
  expect(body).toMatchObject({ status: 'paused', batchExecutionId: expect.any(String) });
});
