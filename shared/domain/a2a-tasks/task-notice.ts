import { createHash } from 'node:crypto';
import { using } from '../../platform/aws/uses.ts';
import { ifRefused } from '../../platform/data/condition-failed.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { type Delivery, deliveryEntity } from '../deliveries/delivery.ts';
import { deliveryQueue } from '../deliveries/delivery-queue.ts';
import { type EndNotice, noNotice } from '../deliveries/end-notice.ts';
import { type NewDelivery, newDelivery } from '../deliveries/new-delivery.ts';
import type { PushConfig } from './push-config.ts';
import { type A2aTask, type A2aTaskKey, a2aTaskEntity } from './task.ts';

type NoticeScope = Pick<Scope, 'table' | 'now' | 'newId'>;

/** Each config is told once of the end of its task, whoever notices it: the id is always the same. */
const endIdOf = ({ surfaceId, id }: A2aTaskKey, config: PushConfig) => {
  const digest = createHash('sha256')
    .update(`${surfaceId}\0${id}\0${config.id}\0${config.url}`)
    .digest('hex');
  return `delivery_${digest.slice(0, 32)}`;
};

const deliveryOf = (
  scope: NoticeScope,
  { surfaceId, executionId, id: taskId }: A2aTask,
  { id: configId }: PushConfig,
  given: Pick<Delivery, 'id' | 'type'>,
): NewDelivery =>
  newDelivery(scope, scope.now(), {
    ...given,
    surfaceId,
    executionId,
    taskId,
    configId,
    productId: '',
    body: '',
  });

const endDelivery = (scope: NoticeScope, task: A2aTask, config: PushConfig): NewDelivery =>
  deliveryOf(scope, task, config, { id: endIdOf(task, config), type: 'task.ended' });

const noticeOf = (scope: NoticeScope, deliveries: readonly NewDelivery[]): EndNotice => ({
  writes: deliveries.map((delivery) => scope.table.writes.put(deliveryEntity, delivery)),
  async send() {
    for (const delivery of deliveries) await deliveryQueue(scope).sendOrLeave(delivery);
  },
});

const readTask = ({ table }: NoticeScope, key: A2aTaskKey) =>
  table.get(a2aTaskEntity, key, { consistent: true });

/** Tells who wants to know that a task asks for something. A delivery is dropped if it has been answered by then. */
export const questionNotice = (scope: NoticeScope, task: A2aTask): EndNotice =>
  noticeOf(
    scope,
    (task.pushConfigs ?? []).map((config) =>
      deliveryOf(scope, task, config, { id: scope.newId('delivery'), type: 'task.input-required' }),
    ),
  );

/** As `questionNotice`, for the run of an agent. @param taskId Undefined for a run that is no task. */
export async function runQuestionNotice(
  scope: NoticeScope,
  key: { surfaceId: string; taskId?: string | undefined } | undefined,
): Promise<EndNotice> {
  if (key?.taskId === undefined) return noNotice;
  const task = await readTask(scope, { surfaceId: key.surfaceId, id: key.taskId });
  return task?.status === 'open' ? questionNotice(scope, task) : noNotice;
}

/** Commit the writes in the transaction that ends the run. `send` also tells configs that are added meanwhile. */
export async function taskEndNotice(scope: NoticeScope, key: A2aTaskKey): Promise<EndNotice> {
  const task = await readTask(scope, key);
  const { writes, send } = task?.status === 'open' ? endNoticeOf(scope, task) : noNotice;
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

const endNoticeOf = (scope: NoticeScope, task: A2aTask): EndNotice =>
  noticeOf(
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
        .then(() => true, ifRefused(false));
      if (isNew) await deliveryQueue(scope).sendOrLeave(delivery);
    }
  },
);
