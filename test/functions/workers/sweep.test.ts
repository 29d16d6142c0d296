import { afterEach, expect, test, vi } from 'vitest';
import { deleteFlow } from '../../../functions/flows/delete.ts';
import { deleteRecord } from '../../../functions/records/delete.ts';
import { handler as cleanUp } from '../../../functions/workers/clean-up.ts';
import { handler as sweep } from '../../../functions/workers/sweep.ts';
import { newId } from '../../../shared/core/ids.ts';
import { flowStore } from '../../../shared/domain/flows/flow-store.ts';
import { recordPartition } from '../../../shared/domain/records/record.ts';
import { recordStore } from '../../../shared/domain/records/record-store.ts';
import { checkpointEntity, flowResultsPartition } from '../../../shared/execution/runs/checkpoint.ts';
import { RunResultQuery, runResults } from '../../../shared/execution/runs/list-run-results.ts';
import { CleanupMessage, sweepDeleted } from '../../../shared/platform/cleanup/cleanup.ts';
import {
  confirmCleaned,
  listDeletedIds,
  listUnfinishedCleanups,
  tombstoneEntity,
} from '../../../shared/platform/cleanup/tombstone.ts';
import { decode } from '../../../shared/platform/data/entity.ts';
import type { Scope } from '../../../shared/platform/data/scope.ts';
import { toLambda } from '../../../shared/platform/http/lambda/lambda.ts';
import { brokenTable } from '../../support/data/broken-table.ts';
import { deliverRunMessages, plannedBatch, runOnce, sqsEvent } from '../../support/flows/batches.ts';
import { expectStatus, template } from '../../support/flows/flows.ts';
import { eventually } from '../../support/stack/eventually.ts';
import { invokeWith } from '../../support/stack/invoke.ts';
import { tenantPrincipal } from '../../support/stack/principals.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

const hour = 3_600_000;
const prompt = {
  type: 'prompt' as const,
  name: 'ask',
  config: { model: 'generic-openai/gpt-4o-mini', userPrompt: 'hi' },
};
const at = (scope: Scope, ms: number): Scope => ({ ...scope, now: () => new Date(Date.now() + ms) });

/** Two records that a flow with a model call ran on. */
async function ran() {
  const batch = await plannedBatch({ recordCount: 2, steps: [prompt, template('x')] });
  await deliverRunMessages(batch.messages);
  const [id = '', keptId = ''] = batch.records.map((record) => record.id);
  const { table } = batch.scope;
  const itemsOf = async (recordId: string) =>
    (await table.queryAll({ partition: recordPartition(recordId) })).length;
  const itemsOfFlow = async () => {
    const shards = [0, 1, 2, 3].map((shard) => flowResultsPartition(batch.flow.id, shard));
    const pages = await Promise.all(shards.map((partition) => table.queryAll({ partition, index: 1 })));
    return pages.flat().length;
  };
  const isUnfinished = async (of: string) => {
    for await (const page of listUnfinishedCleanups(table, new Date(Date.now() + hour)))
      if (page.some((each) => each.id === of && each.tenant === table.tenant)) return true;
    return false;
  };
  return { ...batch, id, keptId, itemsOf, itemsOfFlow, isUnfinished };
}

test.each([
  ['a record', deleteRecord, ({ id }: { id: string; flow: { id: string } }) => id],
  ['a flow', deleteFlow, ({ flow }: { id: string; flow: { id: string } }) => flow.id],
])('after a crash right after %s was deleted, the sweep cleans up', async (_what, endpoint, idOf) => {
  const world = await ran();
  const deleted = idOf(world);
  // Dies as soon as the transaction is done, before any message is sent.
  const table = brokenTable(world.tenant, {
    after: (command) => {
      if (command === 'TransactWriteItems') throw new Error('The process died');
    },
  });
  const past = { ...at(world.scope, -hour), table };
  const handler = toLambda(endpoint, () => ({ scopeOf: () => past }));
  const { statusCode } = await invokeWith(
    handler,
    tenantPrincipal(world),
  )({ pathParameters: { id: deleted } });
  expect(statusCode).toBe(500);
  expect(await world.itemsOf(world.id)).toBeGreaterThan(0);
  expect(await world.isUnfinished(deleted)).toBe(true);

  await sweep();

  await eventually(async () => expect(await world.isUnfinished(deleted)).toBe(false));
  if (endpoint === deleteRecord) {
    expect(await world.itemsOf(world.id)).toBe(0);
    expect(await world.itemsOf(world.keptId)).toBeGreaterThan(1);
    expect(await listDeletedIds(world.scope.table, 'record')).not.toContain(deleted);
  } else {
    expect(await world.itemsOfFlow()).toBe(0);
    expect(await world.itemsOf(world.id)).toBe(1);
    // Runs that are still queued are told of the deletion.
    expect(await listDeletedIds(world.scope.table, 'flow')).toContain(deleted);
  }
});

test('confirming a cleanup whose tombstone is gone creates no new one', async () => {
  const { scope } = await plannedBatch({ steps: [] });
  const [flow, record] = [newId('flow'), newId('record')];
  for (const id of [flow, record]) {
    await confirmCleaned(scope, id);
    expect(await scope.table.get(tombstoneEntity, { id }, { consistent: true })).toBeUndefined();
  }
});

test('an unreachable queue does not fail a deletion', async () => {
  const world = await ran();
  const past = at(world.scope, -hour);
  const handler = toLambda(deleteRecord, () => ({ scopeOf: () => past }));
  vi.stubEnv('CLEANUP_QUEUE_URL', 'http://127.0.0.1:1/none');
  const { statusCode } = await invokeWith(
    handler,
    tenantPrincipal(world),
  )({ pathParameters: { id: world.id } });
  vi.unstubAllEnvs();
  expect(statusCode).toBe(204);
  await expectStatus(404, world.call('GET', `/v1/records/${world.id}`));
  await sweep();
  await eventually(async () => expect(await world.itemsOf(world.id)).toBe(0));
});

test('a deletion is cleaned up immediately, and again when no run can write to it any more', async () => {
  const world = await ran();
  await expectStatus(204, world.call('DELETE', `/v1/records/${world.id}`));
  await eventually(async () => expect(await world.itemsOf(world.id)).toBe(0));
  await sweep();
  expect(await world.isUnfinished(world.id)).toBe(true);
  // A run that was under way writes after all.
  const late = { ...world.message(), runId: newId('exec') };
  await world.scope.table.commit([
    world.scope.table.writes.put(checkpointEntity, {
      runId: late.runId,
      index: 0,
      flowId: world.flow.id,
      flowVersionId: newId('flowver'),
      batchId: null,
      recordId: world.id,
      recordName: 'x',
      userId: 'u',
      organizationId: null,
      results: [],
      rows: '[]',
    }),
  ]);
  await sweepDeleted(world.scope.table, new Date(Date.now() + hour));
  await eventually(async () => expect(await world.isUnfinished(world.id)).toBe(false));
  expect(await world.itemsOf(world.id)).toBe(0);
});

test('a run whose message arrives long after its record or flow was deleted writes items that expire', async () => {
  for (const gone of ['record', 'flow'] as const) {
    const batch = await plannedBatch({ steps: [template('x')] });
    const { table } = batch.scope;
    if (gone === 'record') await recordStore(batch.scope).remove(batch.records[0]?.id ?? '');
    else await flowStore(batch.scope).remove(batch.flow.id);
    await runOnce(batch.scope, batch.message());
    const { recordId } = batch.message();
    const items = await table.queryAll({
      partition: recordPartition(recordId ?? ''),
      from: 'STEPS#',
    });
    expect(items.map((item) => decode(checkpointEntity, item))).toMatchObject([
      { end: { status: 'failed' }, ttl: expect.any(Number) },
    ]);
    expect((await runResults(batch.scope)(recordId ?? '', RunResultQuery.parse({}))).data).toEqual([]);
    expect(await batch.progress()).toMatchObject({ processedRecords: 1, failedRecords: 1 });
  }
});

test('a failed cleanup does not prevent the others of its message', async () => {
  const world = await ran();
  await recordStore(at(world.scope, -hour)).remove(world.id);
  const { table } = world.scope;
  const unknown = { id: 'batch_x', deletedAt: new Date().toISOString() };
  await table.commit([table.writes.put(tombstoneEntity, unknown)]);
  const message = { tenant: world.tenant, ids: ['batch_x', world.id], isLast: true };
  expect(CleanupMessage.safeParse(message).success).toBe(true);
  await expect(cleanUp(sqsEvent([message]))).rejects.toThrow('The cleanup of 1 of 2 ids failed');
  expect(await world.itemsOf(world.id)).toBe(0);
  expect(await world.isUnfinished(world.id)).toBe(false);
});

test('a message about what is not deleted, as in a table that was restored to a moment before, removes nothing', async () => {
  const world = await ran();
  const before = await world.itemsOf(world.id);
  await cleanUp(sqsEvent([{ tenant: world.tenant, ids: [world.id], isLast: true }]));
  expect(before).toBeGreaterThan(0);
  expect(await world.itemsOf(world.id)).toBe(before);
});

test('the sweep finds and confirms hundreds of unfinished cleanups of every tenant', async () => {
  const worlds = await Promise.all([plannedBatch({ steps: [] }), plannedBatch({ steps: [] })]);
  const ids = new Map(worlds.map((world) => [world, Array.from({ length: 230 }, () => newId('record'))]));
  for (const [{ scope }, some] of ids) {
    const deletedAt = new Date(Date.now() - hour).toISOString();
    for (let n = 0; n < some.length; n += 46)
      await scope.table.commit(
        some.slice(n, n + 46).map((id) => scope.table.writes.put(tombstoneEntity, { id, deletedAt })),
      );
  }
  await sweep();
  for (const { scope } of worlds) {
    const left = async () => (await listDeletedIds(scope.table, 'record')).size;
    await eventually(async () => expect(await left()).toBe(0));
  }
});
