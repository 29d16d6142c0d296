import { expect, test, vi } from 'vitest';
import { recordResultsRange } from '../../../../shared/execution/runs/checkpoint.ts';
import { payloadNames } from '../../../support/data/payload-bucket.ts';
import { deliverRunMessages, plannedBatch, runOnce } from '../../../support/flows/batches.ts';
import {
  createRecords,
  expectStatus,
  publishedFlow,
  runFlowOnRecords,
  template,
} from '../../../support/flows/flows.ts';
import { newTenant } from '../../../support/stack/stack.ts';

const script = (code: string, outputVariable?: string) => ({
  type: 'transform-data',
  name: 'script',
  config: { script: code, ...(outputVariable && { outputVariable }) },
});

test('an output of 300 KB is offloaded and restored: in variables, in a resumed run, in lists', async () => {
  const text = `"start " + "äß€".repeat(100_000) + " end"`;
  const batch = await plannedBatch({
    steps: [
      script(text, 'text'),
      { type: 'prompt', name: 'ask', config: { model: 'generic-openai/any', userPrompt: '{{ text }}' } },
      template('{{ text | size }}'),
      script('text.endsWith("€ end")'),
    ],
  });
  const { table } = batch.scope;
  const dying = { ...batch.scope, table: { ...table, commit: dyingAtEnd(table.commit) } };
  await expect(runOnce(dying, batch.message())).rejects.toThrow('died');
  expect(await deliverRunMessages([batch.message()])).toEqual([]);

  const whole = `start ${'äß€'.repeat(100_000)} end`;
  const [first, asked, size, ended] = await batch.results();
  expect(first?.outputPreview).toBe(whole.slice(0, 1_000));
  expect(asked?.resolvedPrompt).toBe(whole);
  expect(size?.inputVariables).toEqual({ text: whole });
  expect(size?.outputPreview).toBe(String(whole.length));
  expect(ended?.outputPreview).toBe('true');
  expect((await payloadNames(batch.tenant)).length).toBeGreaterThanOrEqual(2);
});

/** A commit that is done the first time only. */
function dyingAtEnd<T extends (...parameters: never[]) => Promise<void>>(commit: T) {
  let commits = 0;
  return (async (...parameters: Parameters<T>) => {
    if (commits++ > 0) throw new Error('The worker died');
    await commit(...parameters);
  }) as T;
}

test('a record with 200 KB of metadata runs, and its results contain the metadata as the run saw it', async () => {
  const metadata = { text: 'é'.repeat(100_000), list: Array.from({ length: 100 }, (_, n) => ({ n })) };
  const batch = await plannedBatch({ metadata, steps: [template('{{ _record.metadata.text | size }}')] });
  expect(await deliverRunMessages([batch.message()])).toEqual([]);
  expect(await batch.results()).toMatchObject([
    { outputPreview: '100000', recordMetadata: { n: 0, ...metadata } },
  ]);
});

test('sixty steps with large outputs are spread over checkpoints, and all are kept in order', async () => {
  const steps = Array.from({ length: 60 }, (_, n) => script(`"${n}:" + "x".repeat(15_000)`, `v${n}`));
  const batch = await plannedBatch({ steps });
  expect(await deliverRunMessages([batch.message()])).toEqual([]);
  const { table } = batch.scope;
  const recordId = batch.records[0]?.id ?? '';
  expect(await table.count(recordResultsRange(recordId))).toBeGreaterThan(5);
  const rows = await batch.results();
  expect(rows.map(({ order }) => order)).toEqual(steps.map((_, n) => n));
  rows.forEach((row, n) => {
    expect(row.outputPreview?.startsWith(`${n}:x`)).toBe(true);
    expect(Object.keys(row.inputVariables as object)).toHaveLength(n);
  });
  expect(rows.at(-1)?.inputVariables).toMatchObject({ v7: `7:${'x'.repeat(15_000)}` });
  expect(await batch.progress()).toMatchObject({ status: 'completed', processedRecords: 1 });
});

test('multi-byte characters count as their bytes', async () => {
  const steps = Array.from({ length: 12 }, (_, n) => script(`"${n}" + "€".repeat(29_000)`));
  const batch = await plannedBatch({ steps });
  expect(await deliverRunMessages([batch.message()])).toEqual([]);
  expect(await batch.progress()).toMatchObject({ status: 'completed' });
  expect((await batch.results()).map((row) => row.outputPreview?.replace(/€+/, ''))).toEqual(
    steps.map((_, n) => String(n)),
  );
});

test('a thousand steps that fail with long errors keep all of them', async () => {
  const fails = {
    ...script('throw new Error("x".repeat(600))'),
    config: { script: 'throw new Error("x".repeat(600))', errorHandling: { onError: 'continue' } },
  };
  const batch = await plannedBatch({ steps: Array.from({ length: 1_000 }, () => fails) });
  expect(await deliverRunMessages([batch.message()])).toEqual([]);
  expect(await batch.progress()).toMatchObject({
    status: 'completed',
    processedRecords: 1,
    failedRecords: 0,
  });
  const rows = await batch.results();
  expect(rows).toHaveLength(1_000);
  for (const { errorMessage } of rows) expect(errorMessage).toContain('x'.repeat(400));
});

test('an output that DynamoDB cannot represent is kept: huge numbers, deep nesting, the order of keys', async () => {
  const deep = Array.from({ length: 60 }).reduce((inner) => ({ inner }), 1);
  const text = JSON.stringify({ z: 1e300, a: 1e-200, m: 2 ** 60, deep });
  const batch = await plannedBatch({ steps: [script(text, 'data'), template('{{ data }}')] });
  expect(await deliverRunMessages([batch.message()])).toEqual([]);
  const [data, printed] = await batch.results();
  expect([data?.outputPreview, printed?.outputPreview]).toEqual([text, text]);
  expect(JSON.stringify(printed?.inputVariables)).toBe(`{"data":${text}}`);
});

/** How many payloads are fetched from the bucket by some work. */
async function fetchesOf(work: () => Promise<unknown>): Promise<number> {
  const asked = vi.spyOn(globalThis, 'fetch');
  await work();
  const urls = asked.mock.calls.map(([request]) =>
    request instanceof Request ? request.url : String(request),
  );
  asked.mockRestore();
  return urls.filter((url) => url.includes(`/${process.env.PAYLOAD_BUCKET}/`)).length;
}

test('a page of step results fetches each payload once, and none that is too large to show', async () => {
  const steps = Array.from({ length: 20 }, (_, n) => script(`"x".repeat(100_000)`, `v${n}`));
  const batch = await plannedBatch({ steps });
  expect(await deliverRunMessages([batch.message()])).toEqual([]);
  let rows: Awaited<ReturnType<typeof batch.results>> = [];
  const fetches = await fetchesOf(async () => {
    rows = await batch.results();
  });
  expect(rows.map(({ inputVariables }) => inputVariables && Object.keys(inputVariables).length)).toEqual([
    ...Array.from({ length: 10 }, (_, n) => n),
    ...Array.from({ length: 10 }, () => null),
  ]);
  expect(fetches).toBe(9);
});

test('a variable that is set again counts once, and each step shows its value at that time', async () => {
  const steps = Array.from({ length: 6 }, (_, n) => script(`"${n}".repeat(600_000)`, 'v'));
  const batch = await plannedBatch({ steps });
  expect(await deliverRunMessages([batch.message()])).toEqual([]);
  const rows = await batch.results();
  expect(rows.map(({ inputVariables }) => (inputVariables as { v?: string }).v?.slice(0, 2))).toEqual([
    undefined,
    '00',
    '11',
    '22',
    '33',
    '44',
  ]);
});

test('a page ends before it exceeds the Lambda limit, which counts escaped quotes', async () => {
  const tenant = await newTenant();
  const flow = await publishedFlow(tenant, [
    script(`'"'.repeat(400_000)`, 'quotes'),
    ...Array.from({ length: 7 }, (_, n) => template(`${n}`)),
  ]);
  await createRecords(tenant, 'thing', 1);
  await expectStatus(200, runFlowOnRecords(tenant, flow.id, 'thing'));
  const names = [];
  for (let more = true; more; ) {
    const path = `/v1/flows/${flow.id}/step-results?limit=100&sortOrder=asc&offset=${names.length}`;
    const page = await expectStatus(200, tenant.call('GET', path));
    expect(Buffer.byteLength(JSON.stringify({ body: JSON.stringify(page) }))).toBeLessThan(6_291_556);
    expect(page.pagination.returned).toBe(page.data.length);
    names.push(...page.data.map(({ stepName }: { stepName: string }) => stepName));
    more = page.pagination.hasMore;
  }
  expect(names).toEqual(['script', ...Array.from({ length: 7 }, (_, n) => `${n}`)]);
});

test('a row that alone exceeds the response limit omits its large fields', async () => {
  const tenant = await newTenant();
  const config = { model: 'generic-openai/silent', userPrompt: '{{ a }}{{ b }}{{ c }}' };
  const steps = ['a', 'b', 'c'].map((name) => script(`'"'.repeat(500_000)`, name));
  const flow = await publishedFlow(tenant, [...steps, { type: 'prompt', name: 'ask', config }]);
  await createRecords(tenant, 'thing', 1);
  await expectStatus(200, runFlowOnRecords(tenant, flow.id, 'thing'));
  const path = `/v1/flows/${flow.id}/step-results?limit=1`;
  const { data } = await expectStatus(200, tenant.call('GET', path));
  const left = {
    stepName: 'ask',
    status: 'completed',
    resolvedPrompt: null,
    outputPreview: expect.any(String),
  };
  expect(data).toMatchObject([left]);
});

test('the results of a record fit a response with all quotes escaped', async () => {
  const tenant = await newTenant();
  const flow = await publishedFlow(tenant, [script(`'"'.repeat(900_000)`)]);
  const [record] = await createRecords(tenant, 'thing', 1);
  for (const _ of [1, 2]) await expectStatus(200, runFlowOnRecords(tenant, flow.id, 'thing'));
  const { data } = await expectStatus(200, tenant.call('GET', `/v1/records/${record?.id}/results`));
  expect(data.map((row: object) => 'result' in row)).toEqual([true, false]);
});
