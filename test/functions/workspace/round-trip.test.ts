import { expect, test } from 'vitest';
import { newTenant } from '../../support/stack.ts';
import { actionsOf, applyIn, exportOf, fillWorkspace, planIn, succeeding } from '../../support/workspaces.ts';

test('a workspace of every kind goes into another tenant, and is exported there without a difference', async () => {
  const [one, other] = [await newTenant(), await newTenant()];
  await fillWorkspace(one);
  const document = await exportOf(one);
  expect(actionsOf(await planIn(one, { document }))).toEqual([]);
  await succeeding(other, 'POST', '/v1/records', { type: 'airport', name: 'TXL/Berlin', metadata: {} });
  await applyIn(other, { document });
  expect(await exportOf(other)).toEqual(document);
  expect(actionsOf(await planIn(other, { document }))).toEqual([]);
});
