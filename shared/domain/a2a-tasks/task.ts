import { createHash } from 'node:crypto';
import * as z from 'zod';
import { defineEntity } from '../../platform/data/entity.ts';
import { jsonText } from '../../platform/data/json-text.ts';
import { tenantPartition } from '../../platform/data/keys.ts';
import { PayloadRef } from '../../platform/data/payloads.ts';
import type { PushConfig } from './push-config.ts';

/** How long a task is kept after it began. */
export const taskDays = 30;

/** Longer JSON goes to the payload bucket. */
export const inlineMax = 8_000;

export const openTaskCondition = { expression: '#status = :open', values: { open: 'open' } };

/** What a run of a flow waits for: its caller executes a tool. A run of an agent states it itself. */
export interface AwaitedTool {
  callId: string;
  toolName: string;
  parameters: unknown;
}

/** A run of a flow or an agent that a message to an a2a surface started. While it is open, the run has its state. */
export const A2aTask = z.object({
  id: z.string(),
  surfaceId: z.string(),
  /** The only caller who can see it: the id of a surface key, or a user. */
  caller: z.string(),
  /** Groups the tasks of a conversation. Chosen by the caller, or made. */
  contextId: z.string(),
  itemId: z.string(),
  kind: z.enum(['flow', 'agent']),
  executionId: z.string(),
  status: z.enum(['open', 'completed', 'failed', 'canceled']),
  /** Whether the caller learns that a run failed, and not why. */
  hidesReasons: z.boolean(),
  /** Whether the caller decides calls that need an approval. */
  approves: z.boolean().optional(),
  messages: PayloadRef,
  /** What the open run of a flow waits for. */
  awaited: jsonText<AwaitedTool | null>(),
  /** The batch as which a flow runs in the background. */
  batchId: z.string().nullable(),
  /** Until when the process lives that runs a flow in front of its caller. Null if none does. */
  leaseUntil: z.string().nullable(),
  /** Where the caller wants to be told of changes. Missing in older tasks. */
  pushConfigs: jsonText<PushConfig[]>().optional(),
  output: PayloadRef.nullable(),
  error: z.string().nullable(),
  createdAt: z.string(),
  updatedAt: z.string(),
  ttl: z.int(),
});
export type A2aTask = z.infer<typeof A2aTask>;
export type A2aTaskKey = Pick<A2aTask, 'surfaceId' | 'id'>;

export const tasksPartition = (surfaceId: string) => tenantPartition(`SURFACE#${surfaceId}#TASKS`);

export const tasksOfCaller = ({ surfaceId, caller }: Pick<A2aTask, 'surfaceId' | 'caller'>) =>
  tenantPartition(`SURFACE#${surfaceId}#TASKS#${caller}`);

/** Callers choose the ids of contexts freely, so each has a namespace of its own. */
export const tasksOfContext = ({
  surfaceId,
  caller,
  contextId,
}: Pick<A2aTask, 'surfaceId' | 'caller' | 'contextId'>) => {
  const digest = createHash('sha256').update(`${caller}\0${contextId}`).digest('hex');
  return tenantPartition(`SURFACE#${surfaceId}#CONTEXT#${digest}`);
};

export const a2aTaskEntity = defineEntity({
  type: 'a2aTask',
  schema: A2aTask,
  key: ({ surfaceId, id }: A2aTaskKey) => ({ PK: tasksPartition(surfaceId), SK: id }),
  index: (task) => ({
    PK1: tasksOfCaller(task),
    SK1: task.id,
    PK2: tasksOfContext(task),
    SK2: task.id,
  }),
});
