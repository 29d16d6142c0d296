import { json } from 'node:stream/consumers';
import { DeleteCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, expect, test, vi } from 'vitest';
import { newId } from '../../../../shared/core/ids.ts';
import { recordStore } from '../../../../shared/domain/records/record-store.ts';
import { batchStore } from '../../../../shared/execution/batches/batch-store.ts';
import {
  joinRunMessages,
  type RunMessage,
  splitRunMessage,
} from '../../../../shared/execution/batches/run-message.ts';
import { checkpointEntity } from '../../../../shared/execution/runs/checkpoint.ts';
import { tombstoneWrite } from '../../../../shared/platform/cleanup/tombstone.ts';
import { documentClient } from '../../../../shared/platform/data/client.ts';
import { toStoredKey } from '../../../../shared/platform/data/keys.ts';
import { silentQueue } from '../../../support/data/silent-queue.ts';
import { aQuarter, deliverRunMessages, plannedBatch } from '../../../support/flows/batches.ts';
import { template } from '../../../support/flows/flows.ts';
import { modelServer } from '../../../support/models/model-server.ts';
import { loopback } from '../../../support/servers/loopback.ts';
import { stack } from '../../../support/stack/stack.ts';

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

/** A model server of the test's own for the workers in this process. */
async function model(options: Parameters<typeof modelServer>[0] = {}) {
  const server = await modelServer({ answer: () => 'an answer', ...options });
  vi.stubEnv('GENERIC_OPENAI_BASE_URL', server.url);
  // Waits between attempts are random; here there are none.
  vi.spyOn(Math, 'random').mockReturnValue(0);
  return server;
}

const prompt = (userPrompt: string, more: object = {}) => ({
  type: 'prompt',
  name: userPrompt,
  config: { model: 'generic-openai/any', userPrompt, ...more },
});
const failing = (more: object = {}) => ({
  type: 'transform-data',
  name: 'fails',
  config: { script: 'throw new Error("no")', ...more },
});
const oneGroup = () => 'a group';
/** What a row tells of its step, in short. */
const told = (rows: readonly { stepName: string; status: string; retryCount: number }[]) =>
  rows.map(({ stepName, status, retryCount }) => `${stepName} ${status} ${retryCount}`);
const named = (rows: readonly { stepName: string }[]) => rows.map(({ stepName }) => stepName);

test('a message that is delivered twice at once, and again later, yields one set of results and counts once', async () => {
  const server = await model({ delayMs: 50 });
  const batch = await plannedBatch({ steps: [template('a'), prompt('b'), template('c')] });
  const message = batch.message();

  const [first, second] = await Promise.all([deliverRunMessages([message]), deliverRunMessages([message])]);

  // Of two workers on one record the slower one hands its message back.
  expect([...first, ...second].length).toBeLessThanOrEqual(1);
  const calls = server.requests.length;
  for (let again = 0; again < 3; again++) expect(await deliverRunMessages([message])).toEqual([]);
  expect(server.requests).toHaveLength(calls);
  expect(await batch.progress()).toMatchObject({
    status: 'completed',
    processedRecords: 1,
    failedRecords: 0,
  });
  expect(named(await batch.results())).toEqual(['a', 'b', 'c']);
});

test('many concurrent messages, each delivered three times, count once each', async () => {
  const batch = await plannedBatch({ recordCount: 20, steps: [template('a'), template('b')] });
  for (let time = 0; time < 3; time++) {
    await Promise.all([
      deliverRunMessages(batch.messages.slice(0, 10)),
      deliverRunMessages(batch.messages.slice(5)),
    ]);
  }
  expect(await batch.progress()).toMatchObject({
    status: 'completed',
    processedRecords: 20,
    failedRecords: 0,
  });
  for (const { recordId } of batch.messages)
    expect(named(await batch.results(recordId ?? ''))).toEqual(['a', 'b']);
});

test('a message that fails is returned with the later ones of its group; other groups continue', async () => {
  const batch = await plannedBatch({ recordCount: 4, steps: [template('x')] });
  const broken = { ...batch.batch, id: newId('batch'), flowVersionId: newId('flowver') };
  await batchStore(batch.scope).create(broken);
  const [one, two, three, four] = batch.messages;
  const bodies = [
    one,
    { ...batch.message(), batchId: broken.id, runId: newId('exec') },
    two,
    three,
    four,
  ] as object[];

  const failed = await deliverRunMessages(bodies, (_body, index) =>
    index < 3 ? 'a group' : `group ${index}`,
  );

  expect(failed).toEqual(['message 1', 'message 2']);
  expect(await batch.progress()).toMatchObject({ processedRecords: 3 });
  expect(await batch.results(two?.recordId ?? '')).toEqual([]);
  expect(await deliverRunMessages([two as object])).toEqual([]);
  expect(await batch.progress()).toMatchObject({ status: 'completed', processedRecords: 4 });
});

test('a message of several runs that fails is delivered again, and goes on after those that have ended', async () => {
  const server = await model({ answer: () => 'an answer' });
  const batch = await plannedBatch({ recordCount: 4, recordConcurrency: 1, steps: [prompt('x')] });
  const { PK, SK } = toStoredKey(batch.tenant, checkpointEntity.key({ ...batch.message(2), index: 0 }));
  const client = documentClient();
  const { table: TableName } = stack();
  await client.send(new PutCommand({ TableName, Item: { PK, SK, results: 'unreadable' } }));
  const message = joinRunMessages(batch.messages);

  const again = (deliveries: number) => deliverRunMessages([message], undefined, aQuarter, deliveries);
  expect(await again(1)).toEqual(['message 0']);
  expect(server.requests).toHaveLength(2);
  // Those that have ended are not held by the delivery that ran them, so each delivery is a try.
  expect(await again(2)).toEqual(['message 0']);
  await client.send(new DeleteCommand({ TableName, Key: { PK, SK } }));
  expect(await again(3)).toEqual([]);
  expect(server.requests).toHaveLength(4);
  expect(await batch.progress()).toMatchObject({ status: 'completed', processedRecords: 4 });
});

test('a run whose message was sent twice runs once, although the next runs are loaded ahead', async () => {
  const server = await model({ answer: () => 'an answer' });
  const batch = await plannedBatch({ recordCount: 3, recordConcurrency: 1, steps: [prompt('x')] });
  const twice = [joinRunMessages(batch.messages), joinRunMessages(batch.messages)];
  expect(await deliverRunMessages(twice, oneGroup)).toEqual([]);
  expect(server.requests).toHaveLength(3);
  expect(await batch.progress()).toMatchObject({ status: 'completed', processedRecords: 3 });
});

test('what would begin in the last ten minutes of an invocation is sent anew, at the end of its group', async () => {
  const server = await model({ answer: () => 'an answer' });
  const batch = await plannedBatch({ recordCount: 5, recordConcurrency: 1, steps: [prompt('x')] });
  const sent = await silentQueue<RunMessage>('RUNS_QUEUE_URL');
  const [first, second, ...rest] = batch.messages as [RunMessage, RunMessage, RunMessage];
  const messages = [joinRunMessages([first, second]), joinRunMessages(rest)];

  expect(await deliverRunMessages(messages, oneGroup, { getRemainingTimeInMillis: () => 500_000 })).toEqual(
    [],
  );
  expect(server.requests).toHaveLength(1);
  expect(sent.map(({ body, group }) => [splitRunMessage(body), group])).toEqual([
    [[second], 'a group'],
    [[...rest.slice(0, -1), { ...rest.at(-1), isLast: true }], 'a group'],
  ]);
  expect(new Set(sent.map(({ id }) => id)).size).toBe(2);
  for (const { body } of sent) await deliverRunMessages([body], oneGroup);
  expect(await batch.progress()).toMatchObject({ status: 'completed', processedRecords: 5 });
});

test('a message that is done is deleted while others of its invocation still run, so that its slot goes on', async () => {
  const server = await model({ answer: () => 'an answer' });
  server.options.delayMs = 1_500;
  const slow = await plannedBatch({ steps: [prompt('x')] });
  const quick = await plannedBatch({ recordCount: 3, recordConcurrency: 1, steps: [template('x')] });
  const deleted: { handles: string[]; whileSlow: boolean }[] = [];
  let isOver = false;
  const queue = await loopback(async (request, response) => {
    const { Entries } = (await json(request)) as { Entries: { ReceiptHandle: string }[] };
    deleted.push({ handles: Entries.map(({ ReceiptHandle }) => ReceiptHandle), whileSlow: !isOver });
    response.writeHead(200, { 'content-type': 'application/x-amz-json-1.0' }).end('{}');
  });
  vi.stubEnv('RUNS_QUEUE_URL', `${queue.url}/queue`);
  vi.spyOn(console, 'warn').mockImplementation(() => {});
  await deliverRunMessages([slow.message(), joinRunMessages(quick.messages)]);
  isOver = true;
  expect(deleted).toEqual([{ handles: ['handle 1'], whileSlow: true }]);
});

test('a batch that is cancelled while a message runs ends within a second, not with the message', async () => {
  const server = await model({ answer: () => 'an answer' });
  server.options.delayMs = 300;
  const batch = await plannedBatch({ recordCount: 60, recordConcurrency: 1, steps: [prompt('x')] });
  const delivered = deliverRunMessages([joinRunMessages(batch.messages)]);
  await vi.waitUntil(() => server.requests.length > 0);
  await batchStore(batch.scope).stop(batch.batch.id, 'cancelled');
  await delivered;
  expect(server.requests.length).toBeLessThan(30);
});

test('the messages of a group run in order, those of several groups concurrently', async () => {
  let answered = 0;
  let most = 0;
  const server = await model({
    answer: () => {
      most = Math.max(most, server.requests.length - answered++);
      return 'an answer';
    },
  });
  const steps = [prompt('x')];
  const alone = await plannedBatch({ recordCount: 4, steps });
  server.options.delayMs = 10;
  await deliverRunMessages(alone.messages, oneGroup);
  expect(most).toBe(1);
  const together = await plannedBatch({ recordCount: 4, steps });
  server.options.delayMs = 500;
  await deliverRunMessages(together.messages);
  expect(most).toBeGreaterThan(1);
});

test('a deleted record counts as failed, with the reason', async () => {
  const batch = await plannedBatch({ recordCount: 2, steps: [template('x')] });
  await recordStore(batch.scope).remove(batch.records[0]?.id ?? '');
  expect(await deliverRunMessages(batch.messages)).toEqual([]);
  expect(await deliverRunMessages(batch.messages)).toEqual([]);
  expect(await batch.progress()).toMatchObject({
    status: 'completed',
    processedRecords: 2,
    failedRecords: 1,
  });
});

test('the records of a deleted flow count as failed and do not run', async () => {
  const server = await model();
  const batch = await plannedBatch({ recordCount: 2, steps: [prompt('x')] });
  await batch.scope.table.commit([tombstoneWrite(batch.scope, batch.flow.id)]);
  expect(await deliverRunMessages(batch.messages)).toEqual([]);
  expect(await batch.progress()).toMatchObject({ status: 'failed', processedRecords: 2, failedRecords: 2 });
  expect(server.requests).toEqual([]);
});

test('the messages of a cancelled batch are consumed without running or counting anything', async () => {
  const server = await model();
  const batch = await plannedBatch({ recordCount: 3, steps: [prompt('x')] });
  await batchStore(batch.scope).stop(batch.batch.id, 'cancelled');
  expect(await deliverRunMessages(batch.messages, oneGroup)).toEqual([]);
  expect(await batch.progress()).toMatchObject({ status: 'cancelled', processedRecords: 0 });
  expect(server.requests).toEqual([]);
  expect(await batch.results()).toEqual([]);
});

test('a record that runs during the cancellation finishes and counts; the next one of its group does not start', async () => {
  const stop = () => batchStore(batch.scope).stop(batch.batch.id, 'cancelled');
  let stopping: Promise<unknown> | undefined;
  const server = await model({
    delayMs: 200,
    answer: () => {
      stopping ??= stop();
      return 'an answer';
    },
  });
  const batch = await plannedBatch({
    recordCount: 3,
    steps: [prompt('first'), template('second'), prompt('third')],
  });
  expect(await deliverRunMessages(batch.messages, oneGroup)).toEqual([]);
  await stopping;
  expect(await batch.progress()).toMatchObject({
    status: 'cancelled',
    processedRecords: 1,
    failedRecords: 0,
  });
  expect(named(await batch.results())).toEqual(['first', 'second', 'third']);
  expect(server.requests).toHaveLength(2);
});

test('a message of a batch that no longer exists is consumed', async () => {
  const batch = await plannedBatch({ steps: [template('x')] });
  expect(await deliverRunMessages([{ ...batch.message(), batchId: newId('batch') }])).toEqual([]);
  expect(await batch.results()).toEqual([]);
});

const twoRetries = { maxRetries: 2 };

test('a model with temporary errors is retried from the failed step, maxRetries times; the result counts the retries', async () => {
  // The provider's client asks three times by itself.
  const server = await model({ failurePercent: 100, failureStatus: 503 });
  const batch = await plannedBatch({
    ...twoRetries,
    steps: [template('before'), prompt('x'), template('after')],
  });
  expect(await deliverRunMessages([batch.message()])).toEqual([]);
  expect(server.requests).toHaveLength(3 * 3);
  expect(await batch.progress()).toMatchObject({ status: 'failed', processedRecords: 1, failedRecords: 1 });
  const results = await batch.results();
  expect(told(results)).toEqual(['before completed 0', 'x failed 2']);
  expect(results[1]?.errorMessage).toContain('503');
});

test('a retry that succeeds completes the step, whose result counts the retries; the others have none', async () => {
  const server = await model({ failurePercent: 100, failureStatus: 503 });
  const { answer = () => '' } = server.options;
  server.options.answer = answer;
  // The first two attempts fail, three requests each.
  Object.defineProperty(server.options, 'failurePercent', {
    get: () => (server.requests.length > 6 ? 0 : 100),
  });
  const batch = await plannedBatch({
    ...twoRetries,
    steps: [template('before'), prompt('x'), prompt('after')],
  });
  expect(await deliverRunMessages([batch.message()])).toEqual([]);
  expect(await batch.progress()).toMatchObject({ status: 'completed', failedRecords: 0 });
  expect(told(await batch.results())).toEqual(['before completed 0', 'x completed 2', 'after completed 0']);
  expect(server.requests).toHaveLength(8);
});

test('a retried run neither repeats nor records again what it did before its failed step, including failed steps', async () => {
  const server = await model({ failurePercent: 100, failureStatus: 503 });
  const batch = await plannedBatch({
    ...twoRetries,
    steps: [
      failing({ errorHandling: { onError: 'continue' } }),
      prompt('ignored', { errorHandling: { onError: 'continue' } }),
      prompt('decisive'),
    ],
  });
  expect(await deliverRunMessages([batch.message()])).toEqual([]);
  expect(told(await batch.results())).toEqual(['fails failed 0', 'ignored failed 0', 'decisive failed 2']);
  expect(server.requests).toHaveLength(3 + 3 * 3);
});

test('a permanent failure is not retried', async () => {
  const server = await model({ failurePercent: 100, failureStatus: 400 });
  const batch = await plannedBatch({ ...twoRetries, steps: [prompt('x')] });
  await deliverRunMessages([batch.message()]);
  expect(server.requests).toHaveLength(1);
  expect(told(await batch.results())).toEqual(['x failed 0']);
});

test('a worker at its time limit returns its message, and the next one resumes after the recorded results', async () => {
  const server = await model();
  const batch = await plannedBatch({ steps: [prompt('quick'), prompt('slow'), template('end')] });
  Object.defineProperty(server.options, 'misbehave', {
    get: () =>
      server.requests.at(-1)?.messages[0]?.content === 'slow' && server.requests.length < 3
        ? 'hang'
        : undefined,
  });
  const context = { getRemainingTimeInMillis: () => 6_500 };
  expect(await deliverRunMessages([batch.message()], undefined, context)).toEqual(['message 0']);
  expect(await batch.progress()).toMatchObject({ processedRecords: 0 });
  expect(await deliverRunMessages([batch.message()])).toEqual([]);
  expect(server.requests.map(({ messages }) => messages[0]?.content)).toEqual(['quick', 'slow', 'slow']);
  expect(named(await batch.results())).toEqual(['quick', 'slow', 'end']);
});
