/**
 * The messages that callers of A2A tasks have sent: those that begin tasks, and those that answer them.
 * A message id begins one task only: the item of the message is written with the task, so of two equal requests one is
 * refused and finds the first one's task by `findBegunTask`. A message with the same id and other content is a 400.
 * Callers choose ids freely, so each caller has a namespace.
 * Adding a message requires that the task is open and unchanged. Messages are offloaded before the write that names
 * them; what a crash leaves there is found by nobody.
 * `task-store.ts` includes these functions; `protocols/a2a` starts and answers tasks with them.
 */
import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import type { A2aPart } from '../../adapters/ports/a2a-port.ts';
import { invalidAt, notFound } from '../../core/errors/errors.ts';
import { parseExact } from '../../core/json/exact-json.ts';
import { unixSeconds } from '../../core/time.ts';
import { using } from '../../platform/aws/uses.ts';
import { defineEntity } from '../../platform/data/entity.ts';
import { payloadStore } from '../../platform/data/payloads.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { Write } from '../../platform/data/writes.ts';
import {
  type A2aTask,
  type A2aTaskKey,
  a2aTaskEntity,
  inlineMax,
  openTaskCondition,
  taskDays,
  tasksPartition,
} from './task.ts';

export type NewA2aTask = Omit<
  A2aTask,
  'messages' | 'status' | 'awaited' | 'output' | 'error' | 'createdAt' | 'updatedAt' | 'ttl'
>;

const createRepeatError = () =>
  invalidAt(
    'message.messageId',
    'INVALID_VALUE',
    'The id of a message that was sent before, with other content. Each message has an id of its own',
  );

export const taskMessages = /* @__PURE__ */ using(['table:write', payloadStore], (scope: Scope) => {
  const { table, now } = scope;
  const payloads = payloadStore(scope);
  const offloadMessages = ({ surfaceId, id }: A2aTaskKey, messages: readonly ReceivedMessage[]) =>
    payloads.offload(`a2a-tasks/${surfaceId}/${id}/messages-${messages.length}`, messages, inlineMax);

  /** The writes that begin a task. They are refused if its caller has sent the message before. */
  async function prepareTask(
    task: NewA2aTask,
    message: ReceivedMessage,
  ): Promise<{ task: A2aTask; writes: Write[] }> {
    const at = now();
    const ttl = unixSeconds(at) + taskDays * 86_400;
    const made: A2aTask = {
      ...task,
      status: 'open',
      awaited: null,
      output: null,
      error: null,
      messages: await offloadMessages(task, [message]),
      createdAt: at.toISOString(),
      updatedAt: at.toISOString(),
      ttl,
    };
    const pushConfigs = JSON.stringify(made.pushConfigs ?? []);
    const { surfaceId, caller, id: taskId } = task;
    const fingerprint = hashMessage(task, message);
    return {
      task: made,
      writes: [
        table.writes.insert(a2aTaskEntity, { ...made, awaited: 'null', pushConfigs }),
        table.writes.insert(begunMessageEntity, {
          surfaceId,
          caller,
          messageId: message.id,
          fingerprint,
          taskId,
          ttl,
        }),
      ],
    };
  }

  return {
    prepareTask,

    /** Begins a task. @throws ConditionFailed if its caller has sent the message before */
    async create(input: NewA2aTask, message: ReceivedMessage): Promise<A2aTask> {
      const { task, writes } = await prepareTask(input, message);
      await table.commit(writes);
      return task;
    },

    /** The id of the task that a message has begun before. @throws 400 if that was another message; 404 if it is gone. */
    async findBegunTask(task: TaskOfMessage, message: ReceivedMessage): Promise<string> {
      const key = { ...task, messageId: message.id };
      const begun = await table.get(begunMessageEntity, key, { consistent: true });
      if (!begun) throw notFound('Task');
      if (begun.fingerprint !== hashMessage(task, message)) throw createRepeatError();
      return begun.taskId;
    },

    /** The write that adds a message to a task, and the task after it. Refused if the task has changed or ended. */
    async prepareMessage(
      task: A2aTask,
      message: ReceivedMessage,
      leaseUntil: string | null,
    ): Promise<{ task: A2aTask; write: Write }> {
      const earlier = (await payloads.fetch(task.messages)) as ReceivedMessage[];
      const messages = await offloadMessages(task, [...earlier, message]);
      const updatedAt = now().toISOString();
      const isSame = {
        expression: `${openTaskCondition.expression} AND #updatedAt = :seen`,
        values: { ...openTaskCondition.values, seen: task.updatedAt },
      };
      const set = { messages, awaited: 'null', leaseUntil, updatedAt };
      return {
        task: { ...task, messages, awaited: null, leaseUntil, updatedAt },
        write: table.writes.update(a2aTaskEntity, task, { set }, isSame),
      };
    },

    /** Whether a task has this message already. @throws 400 if it has another one with the same id. */
    async hasMessage(task: A2aTask, { id, parts }: ReceivedMessage): Promise<boolean> {
      const messages = (await payloads.fetch(task.messages)) as ReceivedMessage[];
      const found = messages.find((each) => each.id === id);
      if (found && !isDeepStrictEqual(found.parts, parseExact(JSON.stringify(parts))))
        throw createRepeatError();
      return found !== undefined;
    },

    messagesOf: async ({ messages }: A2aTask) => (await payloads.fetch(messages)) as ReceivedMessage[],
  };
});

export interface ReceivedMessage {
  id: string;
  parts: A2aPart[];
}

/** The task that a message began, so that the same message begins no second one. Kept as long as the task. */
const BegunMessage = z.object({
  surfaceId: z.string(),
  caller: z.string(),
  messageId: z.string(),
  /** Of the content, to tell a repeated message from another one with the same id. */
  fingerprint: z.string(),
  taskId: z.string(),
  ttl: z.int(),
});

const hashTexts = (...texts: string[]) => createHash('sha256').update(texts.join('\0')).digest('hex');

/** Callers choose the ids of messages freely, so each has a namespace of their own. */
const begunMessageEntity = defineEntity({
  type: 'a2aMessage',
  schema: BegunMessage,
  key: ({ surfaceId, caller, messageId }: Pick<A2aTask, 'surfaceId' | 'caller'> & { messageId: string }) => ({
    PK: tasksPartition(surfaceId),
    SK: `MESSAGE#${hashTexts(caller, messageId)}`,
  }),
});

type TaskOfMessage = Pick<A2aTask, 'surfaceId' | 'caller' | 'id' | 'contextId' | 'itemId'>;

/** The same for a message that is sent again: without a context that was made for it. */
const hashMessage = (
  { id, contextId, itemId }: TaskOfMessage,
  { parts }: Pick<ReceivedMessage, 'parts'>,
): string => hashTexts(itemId, contextId === id ? '' : contextId, JSON.stringify(parts));
