import { expect, test } from 'vitest';
import { newId } from '../../../../shared/core/ids.ts';
import { normaliseSteps } from '../../../../shared/domain/flows/checking/flow-steps.ts';
import { flowEntity } from '../../../../shared/domain/flows/flow.ts';
import { flowStore } from '../../../../shared/domain/flows/flow-store.ts';
import { flowNameEntity, flowUpserter } from '../../../../shared/execution/dispatch/prepare.ts';
import type { Scope } from '../../../../shared/platform/data/scope.ts';
import { template } from '../../../support/flows/flows.ts';
import { checkedSteps } from '../../../support/flows/sandbox.ts';
import { principalHere } from '../../../support/stack/principals.ts';
import { countingRuntime, newTenant } from '../../../support/stack/stack.ts';

/** The same world, in which something happens right after the name, or its flow, was read for the first time. */
function interrupted(scope: Scope, by: 'note' | 'flow' | 'list', happens: () => Promise<unknown>): Scope {
  let isFirst = true;
  const once = async () => {
    if (!isFirst) return;
    isFirst = false;
    await happens();
  };
  const get: Scope['table']['get'] = async (entity, ...rest) => {
    const item = await scope.table.get(entity, ...rest);
    if (entity.type === { note: flowNameEntity, flow: flowEntity, list: undefined }[by]?.type) await once();
    return item;
  };
  const queryAll: Scope['table']['queryAll'] = async (options) => {
    const items = await scope.table.queryAll(options);
    if (by === 'list') await once();
    return items;
  };
  return { ...scope, table: { ...scope.table, get, queryAll } };
}

async function world(clock: Partial<Pick<Scope, 'now'>> = {}) {
  const tenant = await newTenant();
  const principal = principalHere(tenant);
  const scope = { ...countingRuntime().scopeOf(tenant.tenant), ...clock };
  const upsert = (text: string, allowOverwriteExternalChanges = false, here = scope) =>
    flowUpserter(here)(
      principal,
      { name: 'Mine', steps: normaliseSteps(checkedSteps([template(text)]), newId) },
      { allowOverwriteExternalChanges, createVersionOnChange: true },
    );
  const stepOf = async (id: string) => (await flowStore(scope).get(id)).steps[0]?.name;
  return { scope, upsert, stepOf };
}

test.each([
  ['that has a flow', true, false],
  ['that has none', false, false],
  ['that has a flow, to be written over', true, true],
  ['that has none, to be written over', false, true],
])(
  'an upsert of a name %s succeeds although another one writes between its reads',
  async (_what, has, allow) => {
    const { scope, upsert, stepOf } = await world();
    if (has) await upsert('one');
    let between = '';
    const late = interrupted(scope, 'note', async () => {
      between = await upsert('between', allow);
    });
    expect(await upsert('two', allow, late)).toBe(between);
    expect(await stepOf(between)).toBe('two');
    // What it left is known as its own.
    expect(await upsert('three')).toBe(between);
  },
);

test('two upserts of a name whose flow was deleted create one flow', async () => {
  const { scope, upsert, stepOf } = await world();
  await flowStore(scope).remove(await upsert('one'));
  let between = '';
  const late = interrupted(scope, 'list', async () => {
    between = await upsert('between');
  });
  expect(await upsert('two', false, late)).toBe(between);
  expect(await stepOf(between)).toBe('two');
});

test('steps saved in the same millisecond as the ones that were read are not overwritten', async () => {
  const at = new Date();
  const { scope, upsert, stepOf } = await world({ now: () => at });
  const id = await upsert('one');
  const steps = normaliseSteps(checkedSteps([template('by hand')]), newId);
  const late = interrupted(scope, 'flow', () => flowStore(scope).update(id, { steps }));
  await expect(upsert('two', false, late)).rejects.toMatchObject({ details: [{ code: 'EXTERNAL_CHANGES' }] });
  expect(await stepOf(id)).toBe('by hand');
});
