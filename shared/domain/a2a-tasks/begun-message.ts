import { createHash } from 'node:crypto';
import * as z from 'zod';
import type { A2aPart } from '../../adapters/ports/a2a-port.ts';
import { defineEntity } from '../../platform/data/entity.ts';
import { type A2aTask, tasksPartition } from './task.ts';

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
export const begunMessageEntity = defineEntity({
  type: 'a2aMessage',
  schema: BegunMessage,
  key: ({ surfaceId, caller, messageId }: Pick<A2aTask, 'surfaceId' | 'caller'> & { messageId: string }) => ({
    PK: tasksPartition(surfaceId),
    SK: `MESSAGE#${hashTexts(caller, messageId)}`,
  }),
});

export type TaskOfMessage = Pick<A2aTask, 'surfaceId' | 'caller' | 'id' | 'contextId' | 'itemId'>;

/** The same for a message that is sent again: without a context that was made for it. */
export const hashMessage = (
  { id, contextId, itemId }: TaskOfMessage,
  { parts }: Pick<ReceivedMessage, 'parts'>,
): string => hashTexts(itemId, contextId === id ? '' : contextId, JSON.stringify(parts));
