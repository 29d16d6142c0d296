import { expect, test } from 'vitest';
import { flowEntity } from '../../../../shared/domain/flows/flow.ts';
import { flowStore } from '../../../../shared/domain/flows/flow-store.ts';
import { preloadItems, readAhead } from '../../../../shared/platform/data/read-ahead.ts';
import { createFlow, template } from '../../../support/flows/flows.ts';
import { countingRuntime, newTenant } from '../../../support/stack/stack.ts';

async function world() {
  const tenant = await newTenant();
  const flows = await Promise.all(['a', 'b'].map((text) => createFlow(tenant, [template(text)])));
  const [one, other] = flows.map(({ id }) => id as string) as [string, string];
  const { scopeOf, consumed } = countingRuntime();
  const scope = scopeOf(tenant.tenant);
  return { scope, one, other, consumed };
}

test('an item that is read ahead takes no request of its own, once', async () => {
  const { scope, one, other, consumed } = await world();
  const ahead = readAhead(scope, flowEntity, { id: one });
  const found = await ahead.table.getMany([flowEntity.key({ id: other })]);
  expect(found).toMatchObject([{ id: other }]);
  expect(await flowStore(ahead).find(one)).toMatchObject({ id: one });
  expect(consumed.commands).toEqual(['BatchGetItem']);
  expect(await flowStore(ahead).find(one)).toMatchObject({ id: one });
  expect(await flowStore(ahead).find(other)).toMatchObject({ id: other });
  expect(consumed.commands).toEqual(['BatchGetItem', 'GetItem', 'GetItem']);
});

test('a consistent read, and one before the others, ask the table', async () => {
  const { scope, one, other, consumed } = await world();
  const ahead = readAhead(scope, flowEntity, { id: one });
  await ahead.table.get(flowEntity, { id: one });
  await ahead.table.getMany([flowEntity.key({ id: other })]);
  await ahead.table.get(flowEntity, { id: one }, { consistent: true });
  expect(consumed.commands).toEqual(['GetItem', 'BatchGetItem', 'GetItem']);
});

test('a guess of something that does not exist finds nothing', async () => {
  const { scope, other } = await world();
  const ahead = readAhead(scope, flowEntity, { id: 'flow_gone' });
  expect(await ahead.table.getMany([flowEntity.key({ id: other })])).toHaveLength(1);
  await expect(flowStore(ahead).find('flow_gone')).rejects.toThrow('Flow not found');
});

test('an item that was read, or is missing, takes no request the first time', async () => {
  const { scope, one, other, consumed } = await world();
  const key = flowEntity.key({ id: one });
  const gone = flowEntity.key({ id: 'flow_gone' });
  const [item] = await scope.table.getMany([key]);
  const { table } = preloadItems(scope, [
    [key, item],
    [gone, undefined],
  ]);
  expect(await table.get(flowEntity, { id: one }, { consistent: true })).toMatchObject({ id: one });
  expect(await table.get(flowEntity, { id: 'flow_gone' })).toBeUndefined();
  expect(consumed.commands).toEqual(['BatchGetItem']);
  expect(await table.get(flowEntity, { id: one })).toMatchObject({ id: one });
  expect(await table.get(flowEntity, { id: other })).toMatchObject({ id: other });
  expect(consumed.commands).toEqual(['BatchGetItem', 'GetItem', 'GetItem']);
});
