import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { DeleteCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import type { Context } from 'aws-lambda';
import { afterEach, expect, test, vi } from 'vitest';
import { handler } from '../../../functions/workers/run-record.ts';
import { batchEntity } from '../../../shared/execution/batches/batch.ts';
import { joinRunMessages } from '../../../shared/execution/batches/run-message.ts';
import { countUsablePermits, getSlotWidth } from '../../../shared/execution/batches/slot-sharing.ts';
import { checkpointEntity } from '../../../shared/execution/runs/checkpoint.ts';
import { documentClient } from '../../../shared/platform/data/client.ts';
import { toStoredKey } from '../../../shared/platform/data/keys.ts';
import { exists } from '../../../shared/platform/data/writes.ts';
import { aQuarter, plannedBatch, sqsEvent } from '../../support/flows/batches.ts';
import { allowHost, loopback } from '../../support/servers/loopback.ts';
import { stack } from '../../support/stack/stack.ts';

afterEach(() => void vi.unstubAllEnvs());

const slots = (count: number, from = 0) => Array.from({ length: count }, (_, n) => n + from);
const batchOf = (changes: object) => ({
  id: 'batch',
  stopped: null,
  recordConcurrency: 50,
  totalRecords: 5_000,
  slotShare: 33,
  claimedSlots: slots(33),
  endedSlots: [] as number[],
  ...changes,
});

test.each([
  [0, Array.from({ length: 50 }, () => 1)],
  [17, Array.from({ length: 33 }, () => 1)],
  [33, [...Array.from({ length: 16 }, () => 2), 1]],
  [46, [9, 8, 8, 8]],
  // A message has ten records.
  [48, [10, 10]],
])('with %i of 50 slots at their end, the slots that are left have the share of 33', (ended, widths) => {
  const batch = batchOf({ endedSlots: slots(ended) });
  expect(slots(50 - ended, ended).map((slot) => getSlotWidth(batch, slot))).toEqual(widths);
});

test('no slot has more than the records of a message, and without scarcity no more than the batch may', () => {
  const ended = { endedSlots: slots(49) };
  expect(getSlotWidth(batchOf({ ...ended, totalRecords: 150 }), 49)).toBe(3);
  expect(getSlotWidth(batchOf({ endedSlots: slots(30), slotShare: undefined }), 49)).toBe(2);
  expect(getSlotWidth(batchOf({ slotShare: undefined }), 49)).toBe(1);
  expect(getSlotWidth(batchOf({ ...ended, stopped: 'cancelled' }), 49)).toBe(1);
  expect(countUsablePermits(batchOf(ended))).toBe(10);
  expect(countUsablePermits(batchOf({ endedSlots: slots(33) }))).toBe(170);
});

/** A batch of five slots with the share of four, of which the last is left, with a message of four records. */
async function lastSlot(runs: (response: ServerResponse, open: number) => void, changes = {}) {
  let open = 0;
  const { url, host } = await loopback((_request, response) => runs(response, ++open));
  allowHost(host);
  const world = await plannedBatch({
    steps: [{ type: 'api-call', name: 'call', config: { http: { url } } }],
    recordCount: 20,
    totalRecords: 200,
    recordConcurrency: 5,
    slotShare: 4,
    claimedSlots: [4],
    endedSlots: [0, 1, 2, 3],
    ...changes,
  });
  const messages = world.messages.filter(({ slot }) => slot === 4);
  function take(bodies = [joinRunMessages(messages)], deliveries = 1) {
    const event = sqsEvent(bodies, () => 'slot 4');
    for (const { attributes } of event.Records) attributes.ApproximateReceiveCount = String(deliveries);
    return handler(event, aQuarter as Context);
  }
  return { ...world, messages, take };
}

test('the last slot of a batch runs as many records at a time as its share has places', async () => {
  const waiting: ServerResponse[] = [];
  const { take, progress, results, messages } = await lastSlot((response, open) => {
    waiting.push(response);
    if (open === 4) for (const each of waiting) each.end('{}');
  });
  expect(await take()).toEqual({ batchItemFailures: [] });
  expect(await progress()).toMatchObject({ processedRecords: 4, failedRecords: 0 });
  for (const { recordId } of messages) expect(await results(recordId ?? '')).toHaveLength(1);
});

test('a run that came in two messages runs once', async () => {
  let calls = 0;
  const { take, messages, progress } = await lastSlot((response) => {
    calls++;
    setTimeout(() => response.end('{}'), 20);
  });
  const answer = await take([joinRunMessages(messages), ...messages.slice(0, 1)]);
  expect(answer).toEqual({ batchItemFailures: [] });
  expect(calls).toBe(4);
  expect(await progress()).toMatchObject({ processedRecords: 4 });
});

test('a slot runs more records at a time as soon as others have ended, also within a message', async () => {
  const waiting: ServerResponse[] = [];
  const { take, progress, batch, scope } = await lastSlot(
    (response, open) => {
      waiting.push(response);
      if (open === 4) for (const each of waiting) each.end('{}');
    },
    { endedSlots: [0] },
  );
  const taken = take();
  await expect.poll(() => waiting.length).toBe(1);
  const { writes } = scope.table;
  await scope.table.commit([
    writes.update(batchEntity, batch, { set: { endedSlots: [0, 1, 2, 3] } }, exists),
  ]);
  await sleep(600);
  waiting[0]?.end('{}');
  await expect.poll(() => waiting.length).toBe(4);
  expect(await taken).toEqual({ batchItemFailures: [] });
  expect(await progress()).toMatchObject({ processedRecords: 4, failedRecords: 0 });
});

test('a message is delivered again while one of its runs fails, and the others are not repeated', async () => {
  let calls = 0;
  const { take, messages, progress, tenant } = await lastSlot((response) => {
    calls++;
    response.end('{}');
  });
  const { recordId = null, runId = '' } = messages[1] ?? {};
  const { PK, SK } = toStoredKey(tenant, checkpointEntity.key({ recordId, runId, index: 0 }));
  const TableName = stack().table;
  await documentClient().send(new PutCommand({ TableName, Item: { PK, SK, results: 'unreadable' } }));
  expect(await take()).toEqual({ batchItemFailures: [{ itemIdentifier: 'message 0' }] });
  expect(await progress()).toMatchObject({ processedRecords: 3 });
  await documentClient().send(new DeleteCommand({ TableName, Key: { PK, SK } }));
  expect(await take(undefined, 2)).toEqual({ batchItemFailures: [] });
  expect(await progress()).toMatchObject({ processedRecords: 4, failedRecords: 0 });
  expect(calls).toBe(4);
});
