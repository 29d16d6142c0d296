import { expect, test } from 'vitest';
import { newId } from '../../../shared/core/ids.ts';
import type { StepResult } from '../../../shared/execution/engine/engine.ts';
import { checkpointEntity, runRange } from '../../../shared/execution/runs/checkpoint.ts';
import { deleteRunResult } from '../../../shared/execution/runs/delete-run-result.ts';
import { readCheckpoints } from '../../../shared/execution/runs/read-checkpoints.ts';
import { openRunRecorder } from '../../../shared/execution/runs/run-recorder.ts';
import { toCostWrites } from '../../../shared/execution/runs/spending.ts';
import { decode } from '../../../shared/platform/data/entity.ts';
import type { Scope } from '../../../shared/platform/data/scope.ts';
import type { Write } from '../../../shared/platform/data/writes.ts';
import { payloadNames } from '../../support/data/payload-bucket.ts';
import { deliverRunMessages, plannedBatch, runOnce } from '../../support/flows/batches.ts';
import {
  createRecords,
  expectStatus,
  publishedFlow,
  runFlowOnRecords,
  template,
} from '../../support/flows/flows.ts';
import { notFoundBody } from '../../support/stack/errors.ts';
import { eventually } from '../../support/stack/eventually.ts';
import { newTenant, type Tenant } from '../../support/stack/stack.ts';

const unknown = (prefix: string) => `${prefix}_${'0'.repeat(26)}`;
const prompt = (model = 'gpt-4o-mini') => ({
  type: 'prompt' as const,
  name: 'ask',
  config: { model: `generic-openai/${model}`, userPrompt: 'hi' },
});
type Caller = Pick<Tenant, 'call'>;
const path = (id: string) => `/v1/records/${id}/results`;
const resultsOf = async ({ call }: Caller, id: string) =>
  (await expectStatus(200, call('GET', path(id)))).data;
const costsOf = ({ call }: Caller, id: string) => expectStatus(200, call('GET', `/v1/records/${id}/costs`));
const remove = ({ call }: Caller, id: string, resultId: unknown) =>
  call('DELETE', path(id), { body: { resultId } });

/** A record on which a flow with two prompts ran twice. */
async function ranTwice() {
  const tenant = await newTenant();
  const [record] = await createRecords(tenant, 'thing', 1);
  const id = record?.id ?? '';
  const flow = await publishedFlow(tenant, [prompt(), template('x'), prompt('gpt-4o')]);
  for (const _ of [1, 2]) await expectStatus(200, runFlowOnRecords(tenant, flow.id, 'thing'));
  const [second, first] = await resultsOf(tenant, id);
  return { tenant, id, flow, first, second };
}

test('204 without a body: the result and its step results are removed, the others stay, the costs decrease accordingly', async () => {
  const { tenant, id, flow, first, second } = await ranTwice();
  const before = await costsOf(tenant, id);
  const answer = await remove(tenant, id, first.id);
  expect(answer).toMatchObject({ status: 204, body: '' });
  expect(await resultsOf(tenant, id)).toEqual([second]);
  for (const list of [`/v1/records/${id}/step-results`, `/v1/flows/${flow.id}/step-results`]) {
    const { data } = await expectStatus(200, tenant.call('GET', list));
    const runs = data.map((row: { executionSessionId: string }) => row.executionSessionId);
    expect(runs).toEqual([second.id, second.id, second.id]);
  }
  const after = await costsOf(tenant, id);
  expect(after).toMatchObject({ executionCount: 2, totalTokens: before.totalTokens / 2 });
  expect(after.totalCost).toBe(before.totalCost / 2);
  await expectStatus(204, remove(tenant, id, second.id));
  expect(await costsOf(tenant, id)).toEqual({
    executionCount: 0,
    promptTokens: 0,
    completionTokens: 0,
    totalTokens: 0,
    totalCost: 0,
    modelBreakdown: [],
  });
});

test('a second deletion is a 404, and of several concurrent ones one gets 204', async () => {
  const { tenant, id, first } = await ranTwice();
  const answers = await Promise.all(Array.from({ length: 6 }, () => remove(tenant, id, first.id)));
  expect(answers.map(({ status }) => status).toSorted()).toEqual([204, 404, 404, 404, 404, 404]);
  expect(await expectStatus(404, remove(tenant, id, first.id))).toEqual(notFoundBody('Result'));
  expect(await costsOf(tenant, id)).toMatchObject({ executionCount: 2 });
});

test('a redelivered message does not rerun a deleted result', async () => {
  const batch = await plannedBatch({ steps: [prompt()] });
  const id = batch.records[0]?.id ?? '';
  await deliverRunMessages(batch.messages);
  await expectStatus(204, remove(batch, id, batch.message().runId));
  expect(await deliverRunMessages(batch.messages)).toEqual([]);
  expect(await resultsOf(batch, id)).toEqual([]);
  expect(await costsOf(batch, id)).toMatchObject({ executionCount: 0 });
  expect(await batch.progress()).toMatchObject({ processedRecords: 1, status: 'completed' });
});

test('409 for an unfinished run, and nothing of it changes', async () => {
  const wait = { type: 'wait-until' as const, name: 'wait', config: { delayMs: 600_000 } };
  const batch = await plannedBatch({ steps: [prompt(), wait] });
  await runOnce(batch.scope, batch.message());
  const { records, message } = batch;
  const before = await readCheckpoints(batch.scope, message());
  await expectStatus(409, remove(batch, records[0]?.id ?? '', message().runId));
  expect(await readCheckpoints(batch.scope, message())).toEqual(before);
  expect(await costsOf(batch, records[0]?.id ?? '')).toMatchObject({ executionCount: 1 });
});

test('the result’s payloads are removed too, and those of another run stay', async () => {
  const steps = [{ ...template('{{ _record.metadata.text }}'.repeat(4)), name: 'large' }];
  const batch = await plannedBatch({ steps, metadata: { text: 'x'.repeat(100_000) } });
  const other = { ...batch.message(), runId: newId('exec') };
  for (const message of [batch.message(), other]) await runOnce(batch.scope, message);
  const filesOf = (runId: string) => payloadNames(`${batch.tenant}/runs/${runId}`);
  const { runId } = batch.message();
  expect((await filesOf(runId)).length).toBeGreaterThan(0);
  await expectStatus(204, remove(batch, batch.records[0]?.id ?? '', runId));
  await eventually(async () => expect(await filesOf(runId)).toEqual([]));
  expect((await filesOf(other.runId)).length).toBeGreaterThan(0);
});

/** A finished run of 130 checkpoints with a model call each. */
async function longRun() {
  const batch = await plannedBatch({ steps: [template('x')] });
  const { scope, records, batch: facts, flow } = batch;
  const recordId = records[0]?.id ?? '';
  const runId = newId('exec');
  const { userId, organizationId, flowVersionId } = facts;
  const ids = { userId, organizationId, flowVersionId, flowId: flow.id, batchId: null, runId, recordId };
  const log = openRunRecorder(
    scope,
    { ...ids, recordName: 'x', recordMetadata: {}, flowName: 'A flow' },
    ({ write, spent }) => scope.table.commit([write, ...toCostWrites(scope.table, spent.recordCosts)]),
  );
  for (let n = 0; n < 130; n++) {
    const result: StepResult = {
      path: String(n),
      stepId: 's',
      status: 'completed',
      startedAt: new Date().toISOString(),
      durationMs: 1,
      retryCount: 0,
      output: n,
      modelUsed: `a/model-${n % 7}`,
      promptTokens: 1,
      completionTokens: 1,
      estimatedCost: '0.1',
    };
    await log.add(result);
    if (n < 129) await log.flush();
  }
  await log.finish(null);
  return { ...batch, recordId, runId };
}

test('a run with more checkpoints than a transaction allows is deleted too; after an interruption, it can be deleted again', async () => {
  const run = await longRun();
  const { scope, recordId, runId } = run;
  expect(await costsOf(run, recordId)).toMatchObject({ executionCount: 130, totalCost: 13 });
  let commits = 0;
  const commit = async (writes: readonly Write[]) => {
    if (commits++ === 2) throw new Error('The process died');
    await scope.table.commit(writes);
  };
  const dying: Scope = { ...scope, table: { ...scope.table, commit } };
  await expect(deleteRunResult(dying)(recordId, runId)).rejects.toThrow('The process died');
  const left = await readCheckpoints(scope, { recordId, runId });
  expect(left.length).toBeLessThan(130);
  expect(await costsOf(run, recordId)).toMatchObject({ executionCount: left.length });
  expect(await resultsOf(run, recordId)).toMatchObject([{ id: runId, result: 129 }]);
  await expectStatus(204, remove(run, recordId, runId));
  expect(await costsOf(run, recordId)).toMatchObject({ executionCount: 0, totalCost: 0 });
  const marker = await scope.table.queryAll(runRange({ recordId, runId }));
  expect(marker.map((item) => decode(checkpointEntity, item))).toMatchObject([
    { removed: true, results: [], ttl: expect.any(Number) },
  ]);
  expect(marker[0]).not.toHaveProperty('PK1');
});

test.each([
  [{}, 'resultId', 'MISSING_REQUIRED_FIELD'],
  [{ resultId: '' }, 'resultId', 'TOO_SMALL'],
  [{ resultId: 7 }, 'resultId', 'INVALID_TYPE'],
  [{ resultId: unknown('exec'), more: 1 }, 'more', 'UNKNOWN_MEMBER'],
])('400 for the body %j', async (body, at, code) => {
  const tenant = await newTenant();
  const [record] = await createRecords(tenant, 'thing', 1);
  const { details } = await expectStatus(400, tenant.call('DELETE', path(record?.id ?? ''), { body }));
  expect(details).toMatchObject([{ path: at, code }]);
});

test('404 for an unknown result, another record’s or another tenant’s, and for an unknown record', async () => {
  const { tenant, id, first } = await ranTwice();
  const [other] = await createRecords(tenant, 'other', 1);
  const foreign = await newTenant();
  const [theirs] = await createRecords(foreign, 'thing', 1);
  const missing = notFoundBody('Result');
  for (const resultId of [unknown('exec'), 'x', `${first.id}#0000`, 'x'.repeat(5_000)])
    expect(await expectStatus(404, remove(tenant, id, resultId))).toEqual(missing);
  expect(await expectStatus(404, remove(tenant, other?.id ?? '', first.id))).toEqual(missing);
  expect(await expectStatus(404, remove(foreign, theirs?.id ?? '', first.id))).toEqual(missing);
  const noRecord = notFoundBody('Record');
  expect(await expectStatus(404, remove(foreign, id, first.id))).toEqual(noRecord);
  expect(await expectStatus(404, remove(tenant, unknown('record'), first.id))).toEqual(noRecord);
  await expectStatus(400, remove(tenant, 'record_7', first.id));
  expect(await resultsOf(tenant, id)).toHaveLength(2);
});

test('403 without RECORDS:WRITE', async () => {
  const tenant = await newTenant({ permissions: ['RECORDS:READ'] });
  await expectStatus(403, remove(tenant, unknown('record'), unknown('exec')));
});
