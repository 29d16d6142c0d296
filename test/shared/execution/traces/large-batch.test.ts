import { expect, test } from 'vitest';
import { toChunks } from '../../../../shared/core/chunks.ts';
import { deriveId, newId } from '../../../../shared/core/ids.ts';
import { listRun } from '../../../../shared/domain/runs/run-list.ts';
import type { Trace } from '../../../../shared/domain/runs/trace.ts';
import type { Batch } from '../../../../shared/execution/batches/batch.ts';
import { toBatchRun } from '../../../../shared/execution/batches/batch-store.ts';
import {
  type Checkpoint,
  checkpointEntity,
  formatRows,
} from '../../../../shared/execution/runs/checkpoint.ts';
import { runTrace } from '../../../../shared/execution/traces/run-trace.ts';
import { expectSound } from '../../../support/flows/sound-trace.ts';
import { type AccessWorld, accessWorld } from '../../platform/data/access-world.ts';

const recordCount = 3_000;
const slowest = 1_234;
const failed = 42;

/** The only checkpoint of the n-th record. */
function checkpointOf({ id, flowId, flowVersionId, startedAt, userId }: Batch, n: number): Checkpoint {
  const began = Date.parse(startedAt);
  const runId = deriveId('exec', began, id, n);
  const durationMs = n === slowest ? 60_000 : 10;
  const status = n === failed ? 'failed' : 'completed';
  const start = began + n;
  return {
    runId,
    index: 0,
    flowId,
    flowVersionId,
    batchId: id,
    userId,
    organizationId: null,
    flowName: 'x',
    recordId: newId('record'),
    recordName: `record ${n}`,
    results: ['0', '1'].map((path) => ({ path, retryCount: 0, output: { inline: `"output ${n}"` } })),
    rows: formatRows(runId, [
      ['a', 'completed', start, 5],
      ['b', status, start + 5, durationMs],
    ]),
    finished: { status, promptStepId: null },
    end: { status, error: null, at: new Date(start + 5 + durationMs).toISOString() },
  };
}

async function largeBatch(world: AccessWorld): Promise<Batch> {
  const batch = await world.newBatch();
  await listRun(world.scope, toBatchRun(batch));
  const { table } = world.scope;
  const checkpoints = Array.from({ length: recordCount }, (_, n) => checkpointOf(batch, n));
  for (const some of toChunks(checkpoints, 50)) {
    await table.commit(some.map((each) => table.writes.insert(checkpointEntity, each)));
  }
  return batch;
}

test('a batch of 3,000 records takes a bounded number of requests, and shows 5,000 spans', async () => {
  const world = await accessWorld();
  const batch = await largeBatch(world);
  let trace: Trace | undefined;
  const used = await world.measure(async () => {
    trace = await runTrace(world.scope)(batch.id);
  });
  const { spans, truncated } = trace as Trace;
  expectSound(trace as Trace);
  expect(truncated).toBe(true);
  expect(spans.length).toBeGreaterThan(4_990);
  expect(spans.length).toBeLessThanOrEqual(5_000);
  const records = spans.filter(({ kind }) => kind === 'record');
  expect(records.filter(({ status }) => status === 'error')).toHaveLength(1);
  expect(Math.max(...records.map(({ durationMs }) => durationMs ?? 0))).toBe(60_005);
  // Four shards of 750 entries, and the checkpoints of 1,666 records, a hundred at a time.
  expect(used.commands).toBe('21 BatchGetItem, 2 GetItem, 4 Query');
});
