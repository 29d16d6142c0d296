import { expect, test } from 'vitest';
import { sandbox } from '../../../../shared/adapters/sandbox/sandbox.ts';
import { newId } from '../../../../shared/core/ids.ts';
import { deliveriesPartition, deliveryEntity } from '../../../../shared/domain/deliveries/delivery.ts';
import type { DeliveryMessage } from '../../../../shared/domain/deliveries/outbox-messages.ts';
import { webhookEvents } from '../../../../shared/domain/surfaces/surface/webhook-events.ts';
import { groupCommits } from '../../../../shared/execution/batches/group-commit.ts';
import { loadJobs } from '../../../../shared/execution/batches/record-jobs.ts';
import type { RunMessage } from '../../../../shared/execution/batches/run-message.ts';
import { endExpiredExecution } from '../../../../shared/execution/dispatch/end-execution.ts';
import { runRecord } from '../../../../shared/execution/record-runs/run-record.ts';
import { executionEntity } from '../../../../shared/execution/runs/execution.ts';
import { webhookStarter } from '../../../../shared/execution/targets/start-webhook.ts';
import { decodeReadable } from '../../../../shared/platform/data/entity.ts';
import { silentQueue } from '../../../support/data/silent-queue.ts';
import { expectStatus, publishedFlow, template } from '../../../support/flows/flows.ts';
import { countingRuntime, newTenant } from '../../../support/stack/stack.ts';
import { dispatchHere } from './dispatch-here.ts';

const prompt = (name: string) => ({
  type: 'prompt',
  name,
  config: { model: 'generic-openai/any', userPrompt: name },
});

/** A surface as a run knows it, whose messages nobody gets. */
async function calledSurface(
  steps: object[],
  notifies: readonly (typeof webhookEvents)[number][] = webhookEvents,
) {
  const sent = await silentQueue<DeliveryMessage>('DELIVERIES_QUEUE_URL');
  const tenant = await newTenant();
  const flow = await publishedFlow(tenant, steps);
  const scope = countingRuntime().scopeOf(tenant.tenant);
  const surfaceId = newId('surface');
  const named = { type: 'api', productId: newId('product'), surfaceId };
  const surface = { ...named, ...(notifies.length > 0 && { notifies: [...notifies] }) };
  const dispatch = (before: (command: string, input: object) => void = () => {}) =>
    dispatchHere(tenant, { flow: { id: flow.id } }, { before }, { surface });
  const deliveries = async () => {
    const partition = deliveriesPartition(surfaceId);
    return decodeReadable(deliveryEntity, await scope.table.queryAll({ partition, consistent: true }));
  };
  return { tenant, flow, scope, sent, surface, dispatch, deliveries };
}

const isWrite = (command: string) => /Put|Transact|Update/.test(command);

test.each([0, 1])(
  'a process that crashes after %s checkpoints leaves a run that the sweep ends, and a delivery that says so',
  async (checkpoints) => {
    const { dispatch, deliveries, scope, sent } = await calledSurface([prompt('one'), prompt('two')]);
    let left = checkpoints;
    const { result } = await dispatch((command, input) => {
      const isCheckpoint = isWrite(command) && JSON.stringify(input).includes('STEPS#');
      if (isCheckpoint && left-- <= 0) throw new Error('The process died');
    });
    expect(await deliveries()).toEqual([]);
    const sweep = () => endExpiredExecution(scope, result.executionId).catch(() => {});
    await Promise.all([sweep(), sweep()]);
    await sweep();
    const [delivery, ...more] = await deliveries();
    expect(more).toEqual([]);
    expect(delivery).toMatchObject({ type: 'execution.failed', status: 'pending', tries: 0 });
    expect(JSON.parse(delivery?.body ?? '').data).toMatchObject({
      executionId: result.executionId,
      status: 'failed',
      output: null,
      error: 'The process of the run crashed before the run ended',
    });
    expect(sent.map(({ body }) => body.id)).toContain(delivery?.id);
    expect(await scope.table.get(executionEntity, { id: result.executionId })).toBeUndefined();
  },
);

test('the delivery is in the transaction that ends the run', async () => {
  const { dispatch, deliveries } = await calledSurface([template('one')]);
  const inputs: string[] = [];
  await dispatch((_command, input) => inputs.push(JSON.stringify(input)));
  const [delivery] = await deliveries();
  const withDelivery = inputs.filter((input) => input.includes(`"${delivery?.id}"`));
  expect(withDelivery).toHaveLength(1);
  expect(withDelivery[0]).toContain('STEPS#');
});

test('a surface without a webhook costs no request more than a dispatch, and the bytes of its ids', async () => {
  const bytesOf = async (notifies: readonly never[] | undefined) => {
    const { tenant, flow, dispatch } = await calledSurface([template('one')], notifies);
    const inputs: string[] = [];
    const note = (command: string, input: object) => {
      if (isWrite(command)) inputs.push(JSON.stringify(input));
    };
    if (notifies) await dispatch(note);
    else await dispatchHere(tenant, { flow: { id: flow.id } }, { before: note });
    return inputs.map(({ length }) => length);
  };
  const [without, plain] = [await bytesOf([]), await bytesOf(undefined)];
  // The list of runs names the product and the surface.
  const idBytes = 150;
  const about = plain.map((bytes) => expect.toSatisfy((other: number) => Math.abs(other - bytes) < idBytes));
  expect(without).toEqual(about);
});

test('a run in the background that is cancelled before it begins tells the webhook', async () => {
  const runs = await silentQueue<RunMessage>('RUNS_QUEUE_URL');
  const { tenant, flow, scope, surface, deliveries } = await calledSurface([template('one')]);
  const owner = { userId: tenant.userId, organizationId: null, environment: 'production' as const };
  const delivery = { surfaceId: surface.surfaceId, endpointSlug: 'x', deliveryId: undefined };
  const run = { flowId: flow.id, agentId: null, inputs: {}, owner, surface, delivery };
  const executionId = await webhookStarter(scope)(run, sandbox(scope));
  const [message] = runs.map(({ body }) => body);
  if (!message) throw new Error('No message was sent');
  await expectStatus(200, tenant.call('POST', `/v1/batch/cancel/${message.batchId}`));
  const never = new AbortController().signal;
  for (const job of await loadJobs(scope, [message, message])) {
    const { stored } = await runRecord(scope, job, groupCommits(scope), never);
    await stored.catch(() => {});
  }
  const [one, ...more] = await deliveries();
  expect(more).toEqual([]);
  expect(JSON.parse(one?.body ?? '').data).toMatchObject({ executionId, status: 'cancelled' });
});
