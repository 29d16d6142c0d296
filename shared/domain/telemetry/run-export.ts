import * as z from 'zod';
import { defineEntity } from '../../platform/data/entity.ts';
import { tenantPartition } from '../../platform/data/keys.ts';
import { outboxKeys } from '../deliveries/outbox.ts';

/** A run that has ended and is to be sent to a collector. Written in the transaction that ends the run. */
export const RunExport = z.object({
  /** Of the run. */
  id: z.string(),
  /** The version of the tenant's setting, or `deployment`. */
  to: z.string(),
  kind: z.string(),
  tries: z.int(),
  nextAttemptAt: z.string(),
  /** Until when a process has it, which attempts it. */
  leaseUntil: z.string().optional(),
  createdAt: z.string(),
  ttl: z.int(),
});
export type RunExport = z.infer<typeof RunExport>;

export const toDeployment = 'deployment';
export const exportDays = 1;

/** A lost message is late by little more than the sweep's minute. */
const sweeping = { sweep: 'EXPORT', graceMs: 5_000 };

export type ExportKey = Pick<RunExport, 'id' | 'to'>;

export const runExportEntity = defineEntity({
  type: 'runExport',
  schema: RunExport,
  key: ({ id, to }: ExportKey) => ({ PK: tenantPartition('EXPORTS'), SK: `${id}#${to}` }),
  index: ({ id, nextAttemptAt }) => outboxKeys(sweeping, id, nextAttemptAt),
});

export const exportOutbox = { entity: runExportEntity, ...sweeping };

const seconds = (count: number) => count * 1_000;
const minutes = (count: number) => seconds(count * 60);

/** The pauses after failed attempts; the last one from then on. None in the first five minutes is longer than one. */
const pausesMs = [2, 5, 10, 20, 30, 60, 60, 60, 60].map(seconds).concat([minutes(2), minutes(3), minutes(5)]);
const retriedMs = minutes(60);

/** @param askedMs What the collector asks for. @returns undefined when the hour after the end of the run is over */
export function exportPauseMs(
  { tries, createdAt }: Pick<RunExport, 'tries' | 'createdAt'>,
  now: Date,
  askedMs: number | undefined,
): number | undefined {
  const leftMs = Date.parse(createdAt) + retriedMs - now.getTime();
  if (leftMs <= 0) return undefined;
  const ownMs = pausesMs[Math.min(tries - 1, pausesMs.length - 1)] ?? 0;
  return Math.min(Math.max(askedMs ?? ownMs, seconds(1)), leftMs);
}
