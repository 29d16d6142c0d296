import { expect, test } from 'vitest';
import { importFile } from '../../support/data/imports.ts';
import {
  expectStatus,
  finishedBatch,
  publishedFlow,
  runFlowOnRecords,
  template,
} from '../../support/flows/flows.ts';
import { newTenant, type Tenant } from '../../support/stack/stack.ts';

const script = (text: string) => ({ type: 'transform-data', name: 'Count', config: { script: text } });

const reduce = (config: object) => ({
  type: 'reduce',
  name: 'All',
  config: { from: { recordType: 'place' }, fields: ['name', 'n'], ...config },
});

async function runOnce({ call }: Tenant, steps: object[]) {
  const body = { flow: { name: 'Inline', steps }, options: { streamResponse: false } };
  return (await call('POST', '/v1/dispatch', { body })).body;
}

async function tenantWithPlaces(count: number) {
  const tenant = await newTenant();
  await importFile(tenant, `name,n\n${Array.from({ length: count }, (_, n) => `p${n},${n}`).join('\n')}\n`);
  return tenant;
}

/** Each record is counted once: sums at the first level, sums of sums above. */
const sum = 'return items.reduce((all, each) => all + (typeof each === "number" ? each : each.n), 0)';

test('a tree runs on chunks, then on the results, until one is left', async () => {
  const tenant = await tenantWithPlaces(50);
  const tree = reduce({
    chunk: { maxItems: 4 },
    combine: 'tree',
    steps: [script(sum)],
    outputVariable: 'total',
  });
  expect(await runOnce(tenant, [tree, template('{{ total }}')])).toMatchObject({
    success: true,
    output: '1225',
  });
  const tokens = reduce({ chunk: { maxTokens: 60 }, combine: 'tree', steps: [script(sum)] });
  expect(await runOnce(tenant, [tokens])).toMatchObject({ output: 1225 });
});

test('a sequence runs one chunk after the other with what came of the one before', async () => {
  const tenant = await tenantWithPlaces(5);
  const steps = [
    script('return [...(previous ?? []), chunkIndex + ":" + items.map(({ n }) => n).join("+")]'),
  ];
  const answer = await runOnce(tenant, [reduce({ chunk: { maxItems: 2 }, combine: 'sequence', steps })]);
  expect(answer.output).toEqual(['0:4+3', '1:2+1', '2:0']);
});

test('without a record the output is null, and a filter selects', async () => {
  const tenant = await tenantWithPlaces(10);
  const config = { chunk: { maxItems: 3 }, combine: 'tree', steps: [script(sum)] };
  expect(await runOnce(tenant, [reduce({ ...config, from: { recordType: 'none' } })])).toMatchObject({
    output: null,
  });
  const from = { recordType: 'place', recordFilter: { field: 'n', op: 'gte', value: 8 } };
  expect(await runOnce(tenant, [reduce({ ...config, from })])).toMatchObject({ output: 17 });
});

test('a chunk that fails fails the step, and so does a tree of too many levels, before its first chunk', async () => {
  const tenant = await tenantWithPlaces(1_100);
  const failing = reduce({
    chunk: { maxItems: 600 },
    combine: 'tree',
    steps: [script('throw new Error("no")')],
  });
  expect(await runOnce(tenant, [failing])).toMatchObject({
    success: false,
    error: expect.stringMatching(/Chunk \d failed/),
  });
  const deep = reduce({ chunk: { maxItems: 2 }, combine: 'tree', steps: [script('throw new Error("no")')] });
  expect(await runOnce(tenant, [deep])).toMatchObject({ error: expect.stringContaining('10 levels') });
});

test('the rows of a batch are reduced by the columns of its table', async () => {
  const tenant = await tenantWithPlaces(6);
  const flow = await publishedFlow(tenant, [template('{{ _record.metadata.n }}0', 'tenfold')]);
  const { batchId } = (await runFlowOnRecords(tenant, flow.id, 'place')).body;
  await finishedBatch(tenant, batchId);
  const steps = [
    script('return items.map((each) => each.tenfold ?? each).flat().map(Number).sort((a, b) => a - b)'),
  ];
  const config = {
    from: { batchId },
    fields: ['tenfold', 'status'],
    chunk: { maxItems: 6 },
    combine: 'tree',
    steps,
  };
  expect((await runOnce(tenant, [reduce(config)])).output).toEqual([0, 10, 20, 30, 40, 50]);
});

test('a config that cannot end, or names no records, is refused', async () => {
  const tenant = await newTenant();
  const save = (config: object) => {
    const flowSteps = [reduce({ chunk: { maxItems: 2 }, combine: 'tree', steps: [], ...config })];
    return tenant.call('POST', '/v1/flows', { body: { name: 'Reduce', flowSteps } });
  };
  await expectStatus(201, save({}));
  for (const wrong of [
    { from: {} },
    { chunk: {} },
    { chunk: { maxItems: 1 } },
    { chunk: { maxItems: 2, maxTokens: 100 } },
  ])
    expect((await save(wrong)).status).toBe(400);
});
