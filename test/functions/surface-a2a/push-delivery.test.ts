import { expect, test } from 'vitest';
import { pushConfigStore } from '../../../shared/domain/a2a-tasks/push-config-store.ts';
import { a2aTaskEntity } from '../../../shared/domain/a2a-tasks/task.ts';
import { findTaskEndNotification, notifyTaskEnd } from '../../../shared/domain/a2a-tasks/task-notice.ts';
import { a2aTaskStore } from '../../../shared/domain/a2a-tasks/task-store.ts';
import { alertAttempt } from '../../../shared/domain/alerts/alert-messages.ts';
import { thresholdAttempt } from '../../../shared/domain/budgets/thresholds.ts';
import { deliveriesPartition, deliveryEntity } from '../../../shared/domain/deliveries/delivery.ts';
import type { DeliveryMessage } from '../../../shared/domain/deliveries/outbox-messages.ts';
import { deliverer } from '../../../shared/domain/deliveries/tenant-deliveries.ts';
import { approvalAttempt } from '../../../shared/domain/run-waits/approval-attempt.ts';
import { endExpiredExecution } from '../../../shared/execution/dispatch/end-execution.ts';
import { checkpointEntity } from '../../../shared/execution/runs/checkpoint.ts';
import { executionEntity } from '../../../shared/execution/runs/execution.ts';
import { recordEnd } from '../../../shared/protocols/a2a/task-progress.ts';
import { taskRequests } from '../../../shared/protocols/a2a/task-view.ts';
import { silentQueue } from '../../support/data/silent-queue.ts';
import { allowHost, loopback } from '../../support/servers/loopback.ts';
import { countingRuntime, newTenant } from '../../support/stack/stack.ts';

/** A task of a flow that runs, and a receiver on this machine. Nothing but the test attempts deliveries. */
async function openTask() {
  const sent = await silentQueue<DeliveryMessage>('DELIVERIES_QUEUE_URL');
  const requests: { headers: Record<string, unknown>; body: string }[] = [];
  const { url, host } = await loopback(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    requests.push({ headers: request.headers, body: Buffer.concat(chunks).toString() });
    response.writeHead(204).end();
  });
  allowHost(host);
  const { tenant } = await newTenant();
  // Its deliveries are not due for the sweep of the stack.
  const base = countingRuntime().scopeOf(tenant);
  const scope = { ...base, now: () => new Date(Date.now() + 365 * 86_400_000) };
  const owner = { surfaceId: scope.newId('surface'), caller: 'a caller' };
  const leaseUntil = new Date(scope.now().getTime() + 60_000).toISOString();
  const task = await a2aTaskStore(scope).create(
    {
      ...owner,
      id: scope.newId('task'),
      contextId: 'a',
      itemId: scope.newId('item'),
      kind: 'flow',
      executionId: scope.newId('exec'),
      batchId: null,
      leaseUntil,
      hidesReasons: false,
    },
    { id: 'm', parts: [{ text: 'Hello' }] },
  );
  const configs = pushConfigStore(scope);
  const add = async (id: string, more: object = {}) => {
    const given = { id, url, token: '', authentication: undefined, version: '1.0' as const, ...more };
    return configs.add(owner, task.id, await configs.seal(task.id, given));
  };
  const partition = deliveriesPartition(owner.surfaceId);
  const deliveries = async () =>
    (await scope.table.queryAll({ partition, consistent: true })).map(({ SK: id }) => ({
      surfaceId: owner.surfaceId,
      id: String(id),
    }));
  const deliver = async () => {
    for (const key of await deliveries())
      await deliverer(scope, {
        taskRequestOf: taskRequests(scope),
        thresholdAttempt: thresholdAttempt(scope),
        approvalAttempt: approvalAttempt(scope),
        alertAttempt: alertAttempt(scope),
      })(key);
  };
  const end = (output: unknown = 'Hello Ada') =>
    recordEnd(scope, task, { state: 'completed', at: scope.now().toISOString(), output });
  return { scope, task, owner, configs, add, deliveries, deliver, end, requests, sent };
}

test('the end of a task is told once, whoever notices it', async () => {
  const { scope, task, add, deliveries, deliver, end, requests, sent } = await openTask();
  const followed = await add('one');
  const notice = await findTaskEndNotification(scope, task);
  await scope.table.commit(notice.writes);
  await notice.send();
  await end();
  await notifyTaskEnd(scope, followed);
  expect(await deliveries()).toHaveLength(1);
  expect(sent).toHaveLength(1);
  await deliver();
  await deliver();
  expect(requests).toHaveLength(1);
  expect(JSON.parse(requests[0]?.body ?? '')).toMatchObject({ task: { id: task.id } });
  expect((await findTaskEndNotification(scope, task)).writes).toEqual([]);
});

test('a receiver that is added between the preparation of the end and its commit is told', async () => {
  const { scope, task, add, deliveries, deliver, end, requests } = await openTask();
  await add('one');
  const notice = await findTaskEndNotification(scope, task);
  await add('two');
  await scope.table.commit(notice.writes);
  await notice.send();
  expect(await deliveries()).toHaveLength(2);
  await end();
  await deliver();
  expect(requests).toHaveLength(2);
});

test('the end of a run that its task does not show yet is told later', async () => {
  const { scope, add, deliveries, deliver, requests } = await openTask();
  await notifyTaskEnd(scope, await add('one'));
  await deliver();
  const [key = { surfaceId: '', id: '' }] = await deliveries();
  expect(await scope.table.get(deliveryEntity, key, { consistent: true })).toMatchObject({
    status: 'pending',
    attempts: [{ error: 'The task has not ended yet' }],
  });
  expect(requests).toEqual([]);
});

test('a flow tells what it asks, unless that was answered before', async () => {
  const { scope, task, add, deliveries, deliver, requests } = await openTask();
  const followed = await add('one');
  const awaited = { callId: 'call_1', toolName: 'thermometer', parameters: {} };
  const { pause, prepareMessage, find } = a2aTaskStore(scope);
  const run = {
    runId: task.executionId,
    index: 0,
    flowId: 'flow_1',
    flowVersionId: 'flowver_1',
    batchId: null,
  };
  const results = { recordId: null, recordName: null, results: [], rows: '[]' };
  const checkpoint = { ...run, ...results, userId: 'ada', organizationId: null };
  await scope.table.commit([scope.table.writes.insert(checkpointEntity, checkpoint)]);
  await pause(followed, { awaited });
  await deliver();
  expect(requests.map(({ body }) => JSON.parse(body))).toMatchObject([
    { task: { id: task.id, status: { state: 'TASK_STATE_INPUT_REQUIRED' } } },
  ]);
  await pause(followed, { awaited });
  expect(await deliveries()).toHaveLength(2);
  const asked = await find(task, task.id);
  const { write } = await prepareMessage(asked, { id: 'n', parts: [{ data: {} }] }, task.leaseUntil);
  await scope.table.commit([write]);
  await deliver();
  expect(requests).toHaveLength(1);
  expect(await deliveries()).toHaveLength(1);
});

test('a flow whose process crashed tells who followed it from its beginning', async () => {
  const { scope, task, owner, add, deliveries } = await openTask();
  await add('one');
  const startedAt = scope.now().toISOString();
  const { executionId: id, id: taskId } = task;
  const surface = { type: 'a2a', productId: 'product_1', surfaceId: owner.surfaceId, notifies: [], taskId };
  const place = { kind: 'dispatch' as const, flowId: 'flow_1', flowName: 'A flow', recordId: null };
  const execution = { ...place, id, startedAt, leaseUntil: startedAt, surface };
  await scope.table.commit([scope.table.writes.insert(executionEntity, execution)]);
  await endExpiredExecution(scope, id);
  expect(await deliveries()).toHaveLength(1);
});

test('a receiver that was removed gets nothing', async () => {
  const { task, owner, configs, add, deliveries, deliver, end, requests } = await openTask();
  await add('one');
  await end();
  expect(await deliveries()).toHaveLength(1);
  await configs.remove(owner, task.id, 'one');
  await deliver();
  expect([requests, await deliveries()]).toEqual([[], []]);
});

test('a task that is gone is not told', async () => {
  const { scope, task, add, deliveries, deliver, end, requests } = await openTask();
  await add('one');
  await end();
  await scope.table.commit([scope.table.writes.remove(a2aTaskEntity, task)]);
  await deliver();
  expect([requests, await deliveries()]).toEqual([[], []]);
});

test('of a large answer only the status is sent, in 0.3 the task without it', async () => {
  const { add, deliver, end, requests } = await openTask();
  await add('new');
  await add('old', { version: '0.3' });
  await end('x'.repeat(200_001));
  await deliver();
  const bodies = requests.map(({ body }) => JSON.parse(body));
  const old = bodies.find(({ kind }) => kind === 'task');
  const current = bodies.find(({ kind }) => kind !== 'task');
  expect(current).toMatchObject({ statusUpdate: { status: { state: 'TASK_STATE_COMPLETED' } } });
  expect(old).toMatchObject({ status: { state: 'completed' } });
  expect(JSON.stringify(bodies)).not.toContain('xxx');
});

test('a name of a private address is refused when it is sent, for good', async () => {
  const { scope, add, deliveries, deliver, end } = await openTask();
  await add('one', { url: 'https://localhost/told' });
  await end();
  await deliver();
  const [key = { surfaceId: '', id: '' }] = await deliveries();
  const delivery = await scope.table.get(deliveryEntity, key, { consistent: true });
  expect(delivery).toMatchObject({ status: 'failed', tries: 1 });
  expect(delivery?.attempts[0]?.error).toContain('not a public address');
});

test('secrets that belong to another task are not sent', async () => {
  const [one, other] = [await openTask(), await openTask()];
  const { pushConfigs } = await one.add('one', { token: 'a token' });
  const set = { pushConfigs: JSON.stringify(pushConfigs) };
  const { writes } = other.scope.table;
  await other.scope.table.commit([writes.update(a2aTaskEntity, other.task, { set })]);
  await other.end();
  await other.deliver();
  const [key = { surfaceId: '', id: '' }] = await other.deliveries();
  expect(await other.scope.table.get(deliveryEntity, key, { consistent: true })).toMatchObject({
    attempts: [{ error: 'The secrets of the receiver cannot be read' }],
  });
  expect(other.requests).toEqual([]);
});
