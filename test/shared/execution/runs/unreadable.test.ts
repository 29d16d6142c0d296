import { gzipSync } from 'node:zlib';
import { expect, onTestFinished, test, vi } from 'vitest';
import { checkpointEntity } from '../../../../shared/execution/runs/checkpoint.ts';
import { RunResultQuery, runResults } from '../../../../shared/execution/runs/list-run-results.ts';
import { StepResultQuery, stepResultStore } from '../../../../shared/execution/runs/list-step-results.ts';
import { readCheckpoints } from '../../../../shared/execution/runs/read-checkpoints.ts';
import { recordCosts } from '../../../../shared/execution/runs/spending.ts';
import { requestS3 } from '../../../../shared/platform/aws/s3.ts';
import { type Packing, unpack } from '../../../../shared/platform/data/entity.ts';
import { deliverRunMessages, plannedBatch } from '../../../support/flows/batches.ts';
import {
  createRecords,
  expectStatus,
  finishedBatch,
  publishedFlow,
  runFlowOnRecords,
  template,
} from '../../../support/flows/flows.ts';
import { everyStepResult } from '../../../support/flows/step-results.ts';
import { loopback } from '../../../support/servers/loopback.ts';
import { newTenant } from '../../../support/stack/stack.ts';

const prompt = (model: string) => ({
  type: 'prompt',
  name: 'ask',
  config: { model: `generic-openai/${model}`, userPrompt: 'hello' },
});

test('a model that reports an impossible usage breaks no list', async () => {
  const tenant = await newTenant();
  const flow = await publishedFlow(tenant, [prompt('miscounting')]);
  const [record] = await createRecords(tenant, 'thing', 1);
  const { batchId } = await expectStatus(200, runFlowOnRecords(tenant, flow.id, 'thing'));
  expect(await finishedBatch(tenant, batchId)).toMatchObject({ status: 'completed', failedRecords: 0 });
  const paid = { status: 'completed', promptTokens: 0, completionTokens: 0, estimatedCost: null };
  expect(await everyStepResult(tenant, `/v1/flows/${flow.id}/step-results`)).toMatchObject([paid]);
  expect(await everyStepResult(tenant, `/v1/records/${record?.id}/step-results`)).toMatchObject([paid]);
  const costs = await expectStatus(200, tenant.call('GET', `/v1/records/${record?.id}/costs`));
  expect(costs).toMatchObject({ executionCount: 1, totalTokens: 0, totalCost: 0 });
});

interface Stored {
  results: object[];
}

/** A batch of three records, the second one's only checkpoint with attributes in place of what was written. */
async function spoiled(change: (item: Stored) => object = () => ({})) {
  const batch = await plannedBatch({
    steps: [template('{{ _record.name }}', 'v'), prompt('any')],
    recordCount: 3,
  });
  expect(await deliverRunMessages(batch.messages)).toEqual([]);
  const { recordId, runId } = batch.message(1);
  const { table } = batch.scope;
  const { PK, SK } = checkpointEntity.key({ recordId, runId, index: 0 });
  const [item] = await table.queryAll({ partition: PK, from: SK, to: SK });
  // As an earlier release stored it.
  const unpacked = unpack(checkpointEntity.packing as Packing, { ...item }) as unknown as Stored;
  await table.commit([{ Put: { Item: { ...unpacked, ...change(unpacked) } } }]);
  return { ...batch, PK, spoiledId: recordId ?? '' };
}

const query = StepResultQuery.parse({ limit: '100', sortOrder: 'asc' });

test('an unreadable row is shown as far as possible, and does not affect others', async () => {
  const { scope, flow, spoiledId } = await spoiled(() => ({ results: 'garbage' }));
  const { data } = await stepResultStore(scope).listByFlow(flow.id, query);
  expect(data).toHaveLength(6);
  for (const row of data) {
    const isSpoiled = row.recordId === spoiledId;
    expect(row.status).toBe('completed');
    expect(row.outputPreview === null).toBe(isSpoiled);
    expect(row.inputVariables === null).toBe(isSpoiled);
  }
  const ofRecord = await stepResultStore(scope).listByRecord(spoiledId, query);
  expect(ofRecord.data.map(({ stepName }) => stepName)).toEqual(['{{ _record.name }}', 'ask']);
  const results = await runResults(scope)(spoiledId, RunResultQuery.parse({}));
  expect(results.data).toEqual([]);
});

test('invalid token counts from an earlier release are read as not reported', async () => {
  const { scope, spoiledId } = await spoiled(({ results }) => ({
    results: results.map((result) => ({ ...result, promptTokens: 1.5, completionTokens: -3 })),
  }));
  const { data } = await stepResultStore(scope).listByRecord(spoiledId, query);
  const shown = { outputPreview: 'You said: hello', promptTokens: null, totalTokens: null };
  expect(data.at(-1)).toMatchObject(shown);
});

test('an unreadable cost is omitted', async () => {
  const { scope, PK, spoiledId } = await spoiled();
  const [cost] = await scope.table.queryAll({ partition: PK, from: 'COSTS#', to: 'COSTS#~' });
  await scope.table.commit([{ Put: { Item: { ...cost, SK: `${cost?.SK}-2`, promptTokens: 1.5 } } }]);
  expect(await recordCosts(scope)(spoiledId)).toMatchObject({ executionCount: 1 });
});

const bucket = () => process.env.PAYLOAD_BUCKET ?? '';

/** A run whose first output lies in the payload bucket. */
async function ranWithPayload() {
  const batch = await plannedBatch({
    steps: [
      { type: 'transform-data', name: 's', config: { script: '"x".repeat(100_000)', outputVariable: 'v' } },
      template('{{ v | size }}'),
    ],
  });
  expect(await deliverRunMessages([batch.message()])).toEqual([]);
  const [pointer = ''] = (await readCheckpoints(batch.scope, batch.message()))[0]?.pointers ?? [];
  return { ...batch, pointer };
}

test.each<[string, (pointer: string) => Promise<unknown>]>([
  ['gone', (pointer) => requestS3(bucket(), 'DELETE', pointer)],
  ['not packed', (pointer) => requestS3(bucket(), 'PUT', pointer, { body: Buffer.from('{}') })],
  ['no JSON', (pointer) => requestS3(bucket(), 'PUT', pointer, { body: gzipSync('{"cut": ') })],
])('a payload that is %s becomes null, and the row is shown', async (_what, spoil) => {
  const batch = await ranWithPayload();
  await spoil(batch.pointer);
  expect(await batch.results()).toMatchObject([
    { outputPreview: 'x'.repeat(1_000), inputVariables: {} },
    { outputPreview: '100000', inputVariables: { v: null } },
  ]);
  const { data } = await runResults(batch.scope)(batch.records[0]?.id ?? '', RunResultQuery.parse({}));
  expect(data).toMatchObject([{ result: '100000' }]);
});

test('texts that are cut inside a character are stored: a preview, an error', async () => {
  const step = (script: string) => ({
    type: 'transform-data',
    name: 's',
    config: { script, errorHandling: { onError: 'continue' } },
  });
  const batch = await plannedBatch({
    steps: [
      step('"x".repeat(999) + "😀".repeat(50_000)'),
      step('throw new Error("\\ud800" + "😀".repeat(400))'),
      step('"\\ud800 alone" + "x".repeat(100_000)'),
    ],
  });
  expect(await deliverRunMessages([batch.message()])).toEqual([]);
  const [cut, thrown, lone] = await batch.results();
  expect(cut?.outputPreview).toBe('x'.repeat(999));
  expect(thrown?.errorMessage).toContain('�😀');
  expect(lone?.outputPreview?.startsWith('� alone')).toBe(true);
});

test('an unavailable bucket fails the list instead of showing outputs as null', async () => {
  const batch = await ranWithPayload();
  const { url } = await loopback((_request, response) => response.writeHead(403).end());
  vi.stubEnv('AWS_ENDPOINT_URL_S3', url);
  onTestFinished(() => void vi.unstubAllEnvs());
  await expect(batch.results()).rejects.toThrow('S3 answered 403');
});
