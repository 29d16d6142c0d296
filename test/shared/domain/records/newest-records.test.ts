import { expect, test } from 'vitest';
import { visitNewestRecords } from '../../../../shared/domain/records/schema-discovery.ts';
import { createRecords } from '../../../support/flows/flows.ts';
import { countingRuntime, newTenant } from '../../../support/stack/stack.ts';

test('yields to the event loop between records that take long', async () => {
  const tenant = await newTenant();
  await createRecords(tenant, 'wide', 4);
  let othersTurns = 0;
  const count = () => {
    othersTurns++;
    timer = setImmediate(count);
  };
  let timer = setImmediate(count);
  const turnsAtLook: number[] = [];
  await visitNewestRecords(countingRuntime().scopeOf(tenant.tenant), 'wide', { readMax: 10 }, () => {
    turnsAtLook.push(othersTurns);
    for (const begin = performance.now(); performance.now() < begin + 15; );
  });
  clearImmediate(timer);
  expect(turnsAtLook).toHaveLength(4);
  expect(new Set(turnsAtLook).size).toBe(4);
});
