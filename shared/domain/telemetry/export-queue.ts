import * as z from 'zod';
import { using } from '../../platform/aws/uses.ts';
import { outboxQueue } from '../deliveries/outbox-queue.ts';
import type { ExportKey } from './run-export.ts';

export const ExportMessage = z.object({
  tenant: z.string(),
  /** Of the run. */
  id: z.string(),
  to: z.string(),
  /** How often it found no place of the tenant. */
  waits: z.int().optional(),
});
export type ExportMessage = z.infer<typeof ExportMessage>;

/** A queue of its own, so that a collector that is down does not delay webhooks. */
export const exportQueue = /* @__PURE__ */ using(
  ['queue:telemetry'],
  /* @__PURE__ */ outboxQueue<ExportKey>('TELEMETRY_QUEUE_URL', ({ id, to }) => ({ id, to })),
);
