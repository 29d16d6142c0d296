import * as z from 'zod';
import { using } from '../../platform/aws/uses.ts';
import { defineEntity } from '../../platform/data/entity.ts';
import { tenantPartition } from '../../platform/data/keys.ts';
import { PayloadRef } from '../../platform/data/payloads.ts';
import { defineOutbox, outboxQueue, toOutboxKeys } from '../deliveries/outbox.ts';

/** A run that has ended and is to be sent to a collector. Written in the transaction that ends the run. */
export const RunExport = z.object({
  /** Of the run. */
  id: z.string(),
  /** The version of the tenant's setting, or `deployment`. */
  to: z.string(),
  kind: z.string(),
  /** How many attempts have failed since the collector last accepted spans. */
  tries: z.int(),
  /** The last span that the collector has accepted. Its id holds whatever becomes of the spans before it. */
  acceptedUpTo: z.string().optional(),
  /** Attributes of the model call, of a run whose content is stored nowhere else. Removed with the export. */
  content: PayloadRef.optional(),
  nextAttemptAt: z.string(),
  /** Until when a process has it, which attempts it. */
  leaseUntil: z.string().optional(),
  createdAt: z.string(),
  ttl: z.int(),
});
export type RunExport = z.infer<typeof RunExport>;

/** Payloads of it in the bucket are expired by a rule, should they outlive it. */
export const exportPayloads = 'exports/';

export const toDeployment = 'deployment';
export const exportDays = 1;

/** A lost message is late by little more than the sweep's minute. */
const sweeping = { sweep: 'EXPORT', graceMs: 5_000 };

export type ExportKey = Pick<RunExport, 'id' | 'to'>;

export const runExportEntity = defineEntity({
  type: 'runExport',
  schema: RunExport,
  key: ({ id, to }: ExportKey) => ({ PK: tenantPartition('EXPORTS'), SK: `${id}#${to}` }),
  index: ({ id, nextAttemptAt }) => toOutboxKeys(sweeping, id, nextAttemptAt),
});

export const exportOutbox = /* @__PURE__ */ defineOutbox({
  noun: 'an export of a run',
  entity: runExportEntity,
  sweeping,
  toKey: ({ id, to }: ExportKey) => ({ id, to }),
  readKey({ SK }) {
    const [id = '', to = ''] = SK.split('#');
    return { id, to };
  },
  queue: 'TELEMETRY_QUEUE_URL',
});

/** A queue of its own, so that a collector that is down does not delay webhooks. */
export const exportQueue = /* @__PURE__ */ using(
  ['queue:telemetry'],
  /* @__PURE__ */ outboxQueue(exportOutbox),
);

const seconds = (count: number) => count * 1_000;
const minutes = (count: number) => seconds(count * 60);

/** The pauses after failed attempts; the last one from then on. None in the first five minutes is longer than one. */
const pausesMs = [2, 5, 10, 20, 30, 60, 60, 60, 60].map(seconds).concat([minutes(2), minutes(3), minutes(5)]);
const retriedMs = minutes(60);

interface Attempted {
  /** The pause that the collector asks for. */
  askedMs?: number | undefined;
  /** Whether the collector accepted spans: then the rest follows, also at the end of the hour. */
  hasProgressed?: boolean;
}

/** @returns undefined when the hour after the end of the run is over */
export function exportPauseMs(
  { tries, createdAt }: Pick<RunExport, 'tries' | 'createdAt'>,
  now: Date,
  { askedMs, hasProgressed = false }: Attempted,
): number | undefined {
  const hourMs = Date.parse(createdAt) + retriedMs - now.getTime();
  const leftMs = hasProgressed ? Math.max(hourMs, minutes(1)) : hourMs;
  if (leftMs <= 0) return undefined;
  const ownMs = pausesMs[Math.min(tries - 1, pausesMs.length - 1)] ?? 0;
  return Math.min(Math.max(askedMs ?? ownMs, seconds(1)), leftMs);
}
