import { randomUUID } from 'node:crypto';
import {
  CreateQueueCommand,
  GetQueueAttributesCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { expect, onTestFinished, test } from 'vitest';
import { startPoller } from '../../../../infra/local/queues/poller.ts';
import { accountId, region } from '../../../../infra/local/runtime/account.ts';
import { traceHeader } from '../../../../infra/local/runtime/invoke.ts';
import { enforceGrants } from '../../../../infra/local/runtime/lambda-grants.ts';
import { recursiveWorkers } from '../../../../infra/resources.ts';
import { newId } from '../../../../shared/core/ids.ts';
import { batchPlanner } from '../../../../shared/execution/batches/batch-plan.ts';
import { tombstoneEntity, tombstoneWrite } from '../../../../shared/platform/cleanup/tombstone.ts';
import { plannedBatch } from '../../../support/flows/batches.ts';
import { finishedBatch, template } from '../../../support/flows/flows.ts';
import { eventually } from '../../../support/stack/eventually.ts';
import { countingRuntime, stack } from '../../../support/stack/stack.ts';
import { relayed } from './relay-worker.ts';

enforceGrants();

/** A client whose messages continue a chain that has invoked each of these workers 16 times. */
function endOfChain(...workers: string[]) {
  const client = new SQSClient({});
  const header = workers.reduce<string | undefined>((before, worker) => {
    let trace = before;
    for (let n = 0; n < 16; n++) trace = traceHeader(`workers/${worker}`, [trace], 'Terminate');
    return trace;
  }, undefined);
  client.middlewareStack.add(
    (next) => (sent) => {
      (sent.request as { headers: Record<string, string | undefined> }).headers['x-amzn-trace-id'] = header;
      return next(sent);
    },
    { step: 'build' },
  );
  return client;
}

const url = (name: string) => `${stack().aws.sqs}/${accountId}/${name}`;

test('a Lambda that sends itself messages is stopped after 16 invocations; the 17th ends in the dead-letter queue', async () => {
  const client = new SQSClient({});
  const name = `q-${randomUUID()}`;
  await client.send(new CreateQueueCommand({ QueueName: `${name}-dead` }));
  const arnOf = (queue: string) => `arn:aws:sqs:${region}:${accountId}:${queue}`;
  const RedrivePolicy = JSON.stringify({ deadLetterTargetArn: arnOf(`${name}-dead`), maxReceiveCount: 2 });
  await client.send(new CreateQueueCommand({ QueueName: name, Attributes: { RedrivePolicy } }));
  const { stop } = startPoller(client, {
    url: url(name),
    arn: arnOf(name),
    batchSize: 1,
    timeoutSeconds: 60,
    concurrency: 1,
    visibilitySeconds: 60,
    retrySeconds: () => 1,
    worker: '../../test/infra/local/queues/relay-worker',
  });
  onTestFinished(stop);
  await client.send(new SendMessageCommand({ QueueUrl: url(name), MessageBody: url(name) }));
  const dead = async () => {
    const asked = { QueueUrl: url(`${name}-dead`), AttributeNames: ['ApproximateNumberOfMessages'] as const };
    const { Attributes } = await client.send(
      new GetQueueAttributesCommand({ ...asked, AttributeNames: [...asked.AttributeNames] }),
    );
    return Number(Attributes?.ApproximateNumberOfMessages);
  };
  await eventually(async () => expect(await dead()).toBe(1));
  expect(relayed.get(url(name))).toBe(16);
});

test('every worker that allows recursive loops gives the reason', () => {
  expect(Object.keys(recursiveWorkers).sort()).toEqual([
    'deliver-webhook',
    'export-telemetry',
    'migrate',
    'plan-batch',
    'run-agent',
    'run-job',
    'run-record',
    'wake-run',
  ]);
  for (const reason of Object.values(recursiveWorkers)) expect(reason).toMatch(/ends/);
});

test('a batch is planned in more than 16 messages', async () => {
  const batch = await plannedBatch({
    steps: [template('x')],
    recordCount: 40,
    planned: false,
    totalRecords: 40,
  });
  const message = { tenant: batch.tenant, batchId: batch.batch.id, after: null, n: 0, perPlan: 2 };
  await batchPlanner(batch.scope).enqueuePlan(message);
  expect(await finishedBatch(batch, batch.batch.id)).toMatchObject({
    status: 'completed',
    processedRecords: 40,
  });
});

test.concurrent('a chain that the stack stops ends at the worker of the dead-letter queue', async () => {
  const tenant = `user:${newId('key')}`;
  const scope = countingRuntime().scopeOf(tenant);
  const id = newId('flow');
  // Other tests let the sweep confirm what was deleted until an hour from now, of every tenant.
  const tomorrow = () => new Date(Date.now() + 86_400_000);
  await scope.table.commit([tombstoneWrite({ ...scope, now: tomorrow }, id)]);
  await endOfChain('clean-up').send(
    new SendMessageCommand({
      QueueUrl: process.env.CLEANUP_QUEUE_URL,
      MessageBody: JSON.stringify({ tenant, ids: [id], isLast: true }),
    }),
  );
  const failures = async () => (await scope.table.get(tombstoneEntity, { id }))?.failures;
  await eventually(async () => expect(await failures()).toBe(1), 40_000);
}, 45_000);

test.concurrent('a wait polls on after 16 timers of its chain', async () => {
  // The first check that finds it true is the second poll of the suspended run.
  const condition = `Date.now() > ${Date.now() + 12_000}`;
  const wait = { type: 'wait-until' as const, name: 'wait', config: { condition } };
  const batch = await plannedBatch({ steps: [wait] });
  const { batchId, runId, slot } = batch.message();
  await endOfChain('run-record', 'wake-run').send(
    new SendMessageCommand({
      QueueUrl: process.env.RUNS_QUEUE_URL,
      MessageGroupId: `${batchId}.${slot}`,
      MessageDeduplicationId: runId,
      MessageBody: JSON.stringify(batch.message()),
    }),
  );
  await eventually(async () => expect(await batch.progress()).toMatchObject({ status: 'completed' }), 40_000);
}, 45_000);
