/**
 * What is told when a run ends: the delivery for its surface's webhook, and how deliveries of all kinds are made (alerts, budgets,
 * approvals, tasks and exports prepare theirs here too).
 *
 * A run that a call of a surface starts carries that surface and which events its webhook took at that time
 * (`surfaces/surface/run-surface.ts`), so its end needs no further read. The transaction that ends the run, wherever it ends,
 * writes the delivery; then a message is sent to the queue `deliveries`. The worker leases the delivery, signs its body, sends
 * it through the egress guard (`signed-request.ts`) and records the attempt or the time of the next (`tenant-deliveries.ts`).
 * Pauses of up to 15 minutes are delayed messages; for longer ones, and after crashes, the sweep sends the message
 * (`outbox-worker.ts`). A cancelled run is told as failed; an output over 20,000 bytes is left out. Callers of A2A tasks are told in the same way (`shared/domain/a2a-tasks/task-notice.ts`).
 */

import { clientJson } from '../../core/json/exact-json.ts';
import { truncate } from '../../core/text.ts';
import { unixSeconds } from '../../core/time.ts';
import type { StoredOf } from '../../platform/data/entity.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { Write } from '../../platform/data/writes.ts';
import type { RunSurface } from '../surfaces/surface/run-surface.ts';
import type { WebhookEvent } from '../surfaces/surface/webhook-events.ts';
import { deliveryDays, deliveryEntity, deliveryQueue } from './delivery.ts';

export interface ExecutionEnd {
  executionId: string;
  status: 'completed' | 'failed' | 'cancelled';
  output: unknown;
  error: string | null;
  /** Whether nothing of what was said may be kept. */
  isSecret?: boolean;
}

export interface EndNotification {
  /** Commit them in the transaction that ends the run. */
  writes: Write[];
  /** Call it after that. Without it the sweep sends the notice, a minute later. */
  send: () => Promise<void>;
}

const outputBytesMax = 20_000;
const errorLengthMax = 2_000;

export const noNotification: EndNotification = { writes: [], send: async () => {} };

export const combineNotifications = (one: EndNotification, other: EndNotification): EndNotification => ({
  writes: [...one.writes, ...other.writes],
  async send() {
    await one.send();
    await other.send();
  },
});

/** @param surface The one whose call started the run. */
export function createWebhookNotification(
  { table, now, newId }: Pick<Scope, 'table' | 'now' | 'newId'>,
  surface: RunSurface | undefined,
  end: ExecutionEnd,
): EndNotification {
  const type: WebhookEvent = end.status === 'completed' ? 'execution.completed' : 'execution.failed';
  if (!surface?.notifies?.includes(type)) return noNotification;
  const at = now();
  const { productId, surfaceId } = surface;
  const { executionId } = end;
  const body = clientJson({ type, timestamp: at.toISOString(), data: toData(surface, end) });
  const delivery = prepareDelivery({ newId }, at, { productId, surfaceId, executionId, type, body });
  return {
    writes: [table.writes.insert(deliveryEntity, delivery)],
    send: () => deliveryQueue({ table }).sendOrLeave(delivery),
  };
}

function toData({ productId, surfaceId, type }: RunSurface, end: ExecutionEnd) {
  const { executionId, status, error, isSecret = false } = end;
  const output = status === 'completed' ? (end.output ?? null) : null;
  const isOmitted = isSecret || Buffer.byteLength(JSON.stringify(output)) > outputBytesMax;
  return {
    executionId,
    productId,
    surfaceId,
    surfaceType: type,
    status,
    ...(isOmitted && output !== null ? { output: null, outputOmitted: true } : { output }),
    error: error === null ? null : truncate(error, errorLengthMax),
  };
}

export type NewDelivery = StoredOf<typeof deliveryEntity>;
type Given = Pick<NewDelivery, 'productId' | 'surfaceId' | 'executionId' | 'type' | 'body'> &
  Partial<NewDelivery>;

/** A delivery that nobody has attempted yet. */
export function prepareDelivery({ newId }: Pick<Scope, 'newId'>, at: Date, input: Given): NewDelivery {
  const createdAt = at.toISOString();
  return {
    id: newId('delivery'),
    status: 'pending',
    attempts: '[]',
    tries: 0,
    nextAttemptAt: createdAt,
    createdAt,
    ttl: unixSeconds(at) + deliveryDays * 86_400,
    ...input,
  };
}
