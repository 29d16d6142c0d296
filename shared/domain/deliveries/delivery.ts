import * as z from 'zod';
import { webhookFormats } from '../../adapters/messages/webhook-formats.ts';
import { using } from '../../platform/aws/uses.ts';
import { defineEntity } from '../../platform/data/entity.ts';
import { jsonText } from '../../platform/data/json-text.ts';
import { tenantPartition } from '../../platform/data/keys.ts';
import { webhookEvents } from '../surfaces/surface/webhook-events.ts';
import { defineOutbox, outboxQueue, toOutboxKeys } from './outbox.ts';

export const deliveryStatuses = ['pending', 'delivered', 'failed'] as const;
export const deliveryDays = 30;
/** The latest attempts are kept. */
export const attemptsKept = 20;

export interface DeliveryAttempt {
  at: string;
  /** Null without a response. */
  statusCode: number | null;
  /** Null if the receiver took it. */
  error: string | null;
  durationMs: number;
}

/** What the caller of a task is told. */
const taskEvents = ['task.ended', 'task.input-required'] as const;

/**
 * For the webhook of a surface, for the caller of a task, for who watches a budget, or for who is asked by a run. Written in
 * the transaction of what it tells of.
 */
export const Delivery = z.object({
  id: z.string(),
  /** Empty for the caller of a task. */
  productId: z.string(),
  surfaceId: z.string(),
  executionId: z.string(),
  /** The task whose caller is told, and where it wants to be. Missing for the webhook of a surface. */
  taskId: z.string().optional(),
  configId: z.string().optional(),
  /** Of a threshold of the budget whose id is in `surfaceId`: for this address, else for its webhook. */
  budget: z.object({ email: z.string().optional() }).optional(),
  /** Of the alert whose id is in `surfaceId`: for this address, else for its webhook. */
  alert: z.object({ email: z.string().optional() }).optional(),
  /** Of a question of the run in `surfaceId`: to this address. */
  approval: z
    .union([
      z.object({ email: z.string() }),
      z.object({ url: z.string(), format: z.enum(webhookFormats).optional() }),
    ])
    .optional(),
  type: z.enum([
    ...webhookEvents,
    ...taskEvents,
    'budget.threshold',
    'approval.requested',
    'alert.firing',
    'alert.resolved',
    'alert.test',
  ]),
  /** What is sent: JSON text. Empty for the caller of a task, who is sent how it stands at the attempt. */
  body: z.string(),
  status: z.enum(deliveryStatuses),
  attempts: jsonText<DeliveryAttempt[]>(),
  /** Attempts since it was created or sent again. */
  tries: z.int(),
  /** Null unless it is pending. */
  nextAttemptAt: z.string().nullable(),
  /** Until when a process has it, which attempts it. */
  leaseUntil: z.string().optional(),
  createdAt: z.string(),
  ttl: z.int(),
});
export type Delivery = z.infer<typeof Delivery>;

/** The sweep that finds pending deliveries without a message. */
const sweeping = { sweep: 'DELIVERY', graceMs: 60_000 };

/** All deliveries of a surface; also of the index that lists them. */
export const deliveriesPartition = (surfaceId: string) => tenantPartition(`SURFACE#${surfaceId}#DELIVERIES`);

export type DeliveryKey = Pick<Delivery, 'surfaceId' | 'id'>;

export const deliveryEntity = defineEntity({
  type: 'delivery',
  schema: Delivery,
  key: ({ surfaceId, id }: DeliveryKey) => ({ PK: deliveriesPartition(surfaceId), SK: id }),
  // Those to callers are not listed: they are the callers' own.
  index: ({ surfaceId, id, nextAttemptAt, taskId }) => ({
    ...(taskId === undefined && { PK1: deliveriesPartition(surfaceId), SK1: id }),
    ...(nextAttemptAt !== null && toOutboxKeys(sweeping, id, nextAttemptAt)),
  }),
  summary: ['executionId', 'type', 'status', 'attempts', 'nextAttemptAt', 'createdAt'],
});

export const deliveryOutbox = /* @__PURE__ */ defineOutbox({
  noun: 'a delivery',
  entity: deliveryEntity,
  sweeping,
  toKey: ({ surfaceId, id }: DeliveryKey) => ({ surfaceId, id }),
  // The partition ends with `SURFACE#<id>#DELIVERIES`.
  readKey: ({ PK, SK: id }) => ({ surfaceId: PK.split('#').at(-2) ?? '', id }),
  queue: 'DELIVERIES_QUEUE_URL',
});

export const deliveryQueue = /* @__PURE__ */ using(
  ['queue:deliveries'],
  /* @__PURE__ */ outboxQueue(deliveryOutbox),
);
