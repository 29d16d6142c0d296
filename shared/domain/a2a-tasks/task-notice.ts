/**
 * The notifications of A2A tasks to the push addresses of their callers: the end of a task, and a question that it waits for.
 *
 * A notification is a list of writes, committed with what caused it, and a `send` afterwards that asks for the attempts at
 * once. The id of an end's delivery is derived from the task and the config, so several processes that notice an end tell it
 * once. Configs that are added while a task ends are told by `send`. Requests are built and signed by the worker of
 * deliveries.
 */

import { createHash } from 'node:crypto';
import { using } from '../../platform/aws/uses.ts';
import { onConditionFailed } from '../../platform/data/condition-failed.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { type Delivery, deliveryEntity, deliveryQueue } from '../deliveries/delivery.ts';
import {
  type EndNotification,
  type NewDelivery,
  noNotification,
  prepareDelivery,
} from '../deliveries/end-webhook.ts';
import type { PushConfig } from './push-config.ts';
import { type A2aTask, type A2aTaskKey, a2aTaskEntity } from './task.ts';

type NoticeScope = Pick<Scope, 'table' | 'now' | 'newId'>;

/** Each config is told once of the end of its task, whoever notices it: the id is always the same. */
const deriveEndId = ({ surfaceId, id }: A2aTaskKey, config: PushConfig) => {
  const digest = createHash('sha256')
    .update(`${surfaceId}\0${id}\0${config.id}\0${config.url}`)
    .digest('hex');
  return `delivery_${digest.slice(0, 32)}`;
};

const createDelivery = (
  scope: NoticeScope,
  { surfaceId, executionId, id: taskId }: A2aTask,
  { id: configId }: PushConfig,
  fields: Pick<Delivery, 'id' | 'type'>,
): NewDelivery =>
  prepareDelivery(scope, scope.now(), {
    ...fields,
    surfaceId,
    executionId,
    taskId,
    configId,
    productId: '',
    body: '',
  });

const endDelivery = (scope: NoticeScope, task: A2aTask, config: PushConfig): NewDelivery =>
  createDelivery(scope, task, config, { id: deriveEndId(task, config), type: 'task.ended' });

const createNotification = (scope: NoticeScope, deliveries: readonly NewDelivery[]): EndNotification => ({
  writes: deliveries.map((delivery) => scope.table.writes.put(deliveryEntity, delivery)),
  async send() {
    for (const delivery of deliveries) await deliveryQueue(scope).sendOrLeave(delivery);
  },
});

const readTask = ({ table }: NoticeScope, key: A2aTaskKey) =>
  table.get(a2aTaskEntity, key, { consistent: true });

/** Tells who wants to know that a task asks for something. A delivery is dropped if it has been answered by then. */
export const createQuestionNotification = (scope: NoticeScope, task: A2aTask): EndNotification =>
  createNotification(
    scope,
    (task.pushConfigs ?? []).map((config) =>
      createDelivery(scope, task, config, { id: scope.newId('delivery'), type: 'task.input-required' }),
    ),
  );

/** As `createQuestionNotification`, for the run of an agent. @param taskId Undefined for a run that is no task. */
export async function findRunQuestionNotification(
  scope: NoticeScope,
  key: { surfaceId: string; taskId?: string | undefined } | undefined,
): Promise<EndNotification> {
  if (key?.taskId === undefined) return noNotification;
  const task = await readTask(scope, { surfaceId: key.surfaceId, id: key.taskId });
  return task?.status === 'open' ? createQuestionNotification(scope, task) : noNotification;
}

/** Commit the writes in the transaction that ends the run. `send` also tells configs that are added meanwhile. */
export async function findTaskEndNotification(scope: NoticeScope, key: A2aTaskKey): Promise<EndNotification> {
  const task = await readTask(scope, key);
  const { writes, send } = task?.status === 'open' ? createEndNotification(scope, task) : noNotification;
  const notified = new Set((task?.pushConfigs ?? []).map(({ id }) => id));
  return {
    writes,
    async send() {
      await send();
      const after = await readTask(scope, key);
      const added = (after?.pushConfigs ?? []).filter(({ id }) => !notified.has(id));
      if (after && added.length > 0) await notifyTaskEnd(scope, { ...after, pushConfigs: added });
    },
  };
}

const createEndNotification = (scope: NoticeScope, task: A2aTask): EndNotification =>
  createNotification(
    scope,
    (task.pushConfigs ?? []).map((config) => endDelivery(scope, task, config)),
  );

/** Tells every config of a task that has ended, unless it was told before. */
export const notifyTaskEnd = /* @__PURE__ */ using(
  ['table:write', deliveryQueue],
  async (scope: NoticeScope, task: A2aTask): Promise<void> => {
    const { table } = scope;
    for (const config of task.pushConfigs ?? []) {
      const delivery = endDelivery(scope, task, config);
      const isNew = await table
        .commit([table.writes.insert(deliveryEntity, delivery)])
        .then(() => true, onConditionFailed(false));
      if (isNew) await deliveryQueue(scope).sendOrLeave(delivery);
    }
  },
);
