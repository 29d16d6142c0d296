import { json } from 'node:stream/consumers';
import { expect, onTestFinished, test, vi } from 'vitest';
import { batchPlanner, type PlanMessage } from '../../../shared/batches/batch-plan.ts';
import { batchStore, slotOf } from '../../../shared/batches/batch-store.ts';
import type { RunMessage } from '../../../shared/batches/run-message.ts';
import { plannedBatch } from '../../support/batches.ts';
import { template } from '../../support/flows.ts';
import { loopback } from '../../support/loopback.ts';

/** A queue of runs that takes every message and delivers none. */
async function runsQueue() {
  const sent: { body: RunMessage; group: string }[] = [];
  const { url } = await loopback(async (request, response) => {
    const { Entries } = (await json(request)) as {
      Entries: { MessageBody: string; MessageGroupId: string }[];
    };
    for (const { MessageBody, MessageGroupId } of Entries)
      sent.push({ body: JSON.parse(MessageBody) as RunMessage, group: MessageGroupId });
    response.writeHead(200, { 'content-type': 'application/x-amz-json-1.0' }).end('{}');
  });
  // The SDK warns of a queue on another host than its endpoint.
  vi.spyOn(console, 'warn').mockImplementation(() => {});
  vi.stubEnv('RUNS_QUEUE_URL', `${url}/runs`);
  onTestFinished(() => void vi.unstubAllEnvs());
  return sent;
}

test('a batch of more records than one message plans is planned in parts, each record once in its slot', async () => {
  const { scope, batch, records, tenant, progress } = await plannedBatch({
    ...{ steps: [template('x')], recordCount: 5_003, recordConcurrency: 7 },
    ...{ planned: false, totalRecords: 0 },
  });
  const sent = await runsQueue();
  const parts: PlanMessage[] = [];
  let part: PlanMessage | undefined = { tenant, batchId: batch.id, after: null, n: 0 };
  for (; part && parts.length < 5; part = await batchPlanner(scope).plan(part)) parts.push(part);
  expect(parts.map(({ n }) => n)).toEqual([0, 5_000]);
  expect(await progress()).toMatchObject({ totalRecords: 5_003 });
  const slots = new Map(sent.map(({ body, group }) => [body.recordId, [body.slot, group]]));
  expect(sent).toHaveLength(5_003);
  expect(records.map(({ id }) => slots.get(id))).toEqual(
    records.map((_, n) => [slotOf(batch, n), `${batch.id}.${slotOf(batch, n)}`]),
  );
});

test.each([
  ['was stopped', { planned: false }, true],
  ['has been planned', { planned: true }, false],
])('a batch that %s gets no more messages', async (_what, changes, isStopped) => {
  const { scope, batch, tenant } = await plannedBatch({ steps: [template('x')], recordCount: 3, ...changes });
  if (isStopped) await batchStore(scope).stop(batch.id, 'cancelled');
  const sent = await runsQueue();
  const message = { tenant, batchId: batch.id, after: null, n: 0 };
  expect(await batchPlanner(scope).plan(message)).toBeUndefined();
  expect(sent).toEqual([]);
});
