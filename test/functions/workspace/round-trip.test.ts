import { expect, test } from 'vitest';
import {
  applyIn,
  changeLines,
  exportWorkspace,
  fillWorkspace,
  planIn,
  succeeding,
} from '../../support/files/workspaces.ts';
import { newTenant } from '../../support/stack/stack.ts';

test('a workspace of every kind goes into another tenant, and is exported there without a difference', async () => {
  const [one, other] = [await newTenant(), await newTenant()];
  await fillWorkspace(one);
  const document = await exportWorkspace(one);
  expect(changeLines(await planIn(one, { document }))).toEqual([]);
  await succeeding(other, 'POST', '/v1/records', { type: 'airport', name: 'TXL/Berlin', metadata: {} });
  await applyIn(other, { document });
  expect(await exportWorkspace(other)).toEqual(document);
  expect(changeLines(await planIn(other, { document }))).toEqual([]);
});
