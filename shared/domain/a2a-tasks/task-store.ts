/**
 * The tasks of A2A surfaces: what a caller has asked for, and how it ended.
 *
 * A task is open until `end`, which works once; every other write has the condition that it still is. While a process answers
 * it, the task has a lease (`leaseUntil`); a run that goes on elsewhere, as a batch or when its caller has executed a tool, is
 * noted by `pause`, which ends the lease. An open task with a lease that is over has lost its process. A question is told to
 * the task's push configs in the transaction that notes the pause; an end is told after it is stored, by deliveries whose ids
 * are always the same, so that whoever notices it again tells nobody twice (`task-notice.ts`).
 *
 * The messages of tasks are in `task-messages.ts`; answering is in `shared/protocols/a2a`, progress of runs in
 * `shared/protocols/a2a`.
 */

import { notFound } from '../../core/errors/errors.ts';
import { using } from '../../platform/aws/uses.ts';
import { onConditionFailed } from '../../platform/data/condition-failed.ts';
import { decodeReadable } from '../../platform/data/entity.ts';
import { cursorPage } from '../../platform/data/lists/pages.ts';
import { payloadStore } from '../../platform/data/payloads.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { type EndNotification, noNotification } from '../deliveries/end-webhook.ts';
import {
  type A2aTask,
  type A2aTaskKey,
  type AwaitedTool,
  a2aTaskEntity,
  inlineMax,
  openTaskCondition,
  tasksOfCaller,
  tasksOfContext,
} from './task.ts';
import { taskMessages } from './task-messages.ts';
import { createQuestionNotification, notifyTaskEnd } from './task-notice.ts';

interface TaskPause {
  /** What its caller executes. */
  awaited?: AwaitedTool | undefined;
  /** As which batch it goes on. Null: as none any more. */
  batchId?: string | null | undefined;
}

/** Whose tasks of which surface. */
export type TaskOwner = Pick<A2aTask, 'surfaceId' | 'caller'>;

export interface TaskEnd {
  status: 'completed' | 'failed' | 'canceled';
  output: unknown;
  error: string | null;
}

/** The latest tasks of a context that a conversation continues. */
const conversationMax = 20;

/** What a caller gives as an id may be anything, also what no key of the table can hold. */
const isId = /^[\w-]{1,256}$/;

/** The tasks of a2a surfaces. Each caller sees only their own. */
export const a2aTaskStore = /* @__PURE__ */ using(
  ['table:write', taskMessages, notifyTaskEnd],
  (scope: Scope) => {
    const { table, now } = scope;
    const payloads = payloadStore(scope);

    async function load(ids: readonly string[], { surfaceId }: TaskOwner): Promise<A2aTask[]> {
      const keys = ids.map((id) => a2aTaskEntity.key({ surfaceId, id }));
      return decodeReadable(a2aTaskEntity, await table.getMany(keys, { consistent: true }));
    }

    /** The writes that note a pause. Refused if the task has ended. */
    async function preparePause(task: A2aTaskKey, { awaited, batchId }: TaskPause): Promise<EndNotification> {
      const set = {
        awaited: JSON.stringify(awaited ?? null),
        batchId,
        leaseUntil: null,
        updatedAt: now().toISOString(),
      };
      const write = table.writes.update(a2aTaskEntity, task, { set }, openTaskCondition);
      const current = awaited && (await table.get(a2aTaskEntity, task, { consistent: true }));
      const { writes, send } = current ? createQuestionNotification(scope, current) : noNotification;
      return { writes: [write, ...writes], send };
    }

    return {
      ...taskMessages(scope),
      preparePause,

      /** @throws 404 also for the task of another caller, and for what is no id. */
      async find({ surfaceId, caller }: TaskOwner, id: string): Promise<A2aTask> {
        if (typeof id !== 'string' || !isId.test(id)) throw notFound('Task');
        const task = await table.get(a2aTaskEntity, { surfaceId, id }, { consistent: true });
        if (task?.caller !== caller) throw notFound('Task');
        return task;
      },

      /** Newest first. */
      async list(
        owner: TaskOwner,
        {
          contextId,
          limit,
          cursor,
        }: { contextId: string | undefined; limit: number; cursor: string | undefined },
      ) {
        const source =
          contextId === undefined
            ? ({ partition: tasksOfCaller(owner), index: 1 } as const)
            : ({ partition: tasksOfContext({ ...owner, contextId }), index: 2 } as const);
        const query = { limit, includeCount: 'true' as const, ...(cursor !== undefined && { cursor }) };
        const { rows, pagination } = await cursorPage(table, { ...source, kind: 'task' }, query);
        return {
          tasks: await load(
            rows.map(({ id }) => String(id)),
            owner,
          ),
          pagination,
        };
      },

      /** The latest tasks of a context, oldest first. */
      async listByContext(owner: TaskOwner, contextId: string): Promise<A2aTask[]> {
        const partition = tasksOfContext({ ...owner, contextId });
        const { items } = await table.first(conversationMax, { partition, index: 2, newestFirst: true });
        const found = await load(
          items.map(({ SK2 }) => String(SK2)),
          owner,
        );
        return found.toReversed();
      },

      fetchOutput: async ({ output }: A2aTask) => (output === null ? null : payloads.fetch(output)),

      /** Extends the lease of the process that runs a task. @returns undefined if the task has no lease any more. */
      extendLease(task: Pick<A2aTask, 'surfaceId' | 'id'>, leaseUntil: string): Promise<A2aTask | undefined> {
        const hasLease = {
          expression: `${openTaskCondition.expression} AND attribute_type(#leaseUntil, :text)`,
          values: { ...openTaskCondition.values, text: 'S' },
        };
        const write = table.writes.update(a2aTaskEntity, task, { set: { leaseUntil } }, hasLease);
        return table.updateAndGet(a2aTaskEntity, write).catch(onConditionFailed(undefined));
      },

      /** Notes that the run of a flow goes on without this process: as a batch, or when its caller has executed a tool. */
      async pause(task: A2aTaskKey, change: TaskPause): Promise<void> {
        const { writes, send } = await preparePause(task, change);
        await table.commit(writes).then(send, onConditionFailed(undefined));
      },

      /** Ends a task, once. @returns it, if this call did. */
      async end(task: A2aTask, { status, output, error }: TaskEnd): Promise<A2aTask | undefined> {
        const stored =
          status === 'completed'
            ? await payloads.offload(`a2a-tasks/${task.surfaceId}/${task.id}/output`, output, inlineMax)
            : null;
        const set = {
          status,
          output: stored,
          error,
          awaited: 'null',
          leaseUntil: null,
          updatedAt: now().toISOString(),
        };
        const write = table.writes.update(a2aTaskEntity, task, { set }, openTaskCondition);
        const ended = await table.updateAndGet(a2aTaskEntity, write).catch(onConditionFailed(undefined));
        if (ended) await notifyTaskEnd(scope, ended);
        return ended;
      },
    };
  },
);
