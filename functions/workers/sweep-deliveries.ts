import type { Context } from 'aws-lambda';
import { deliveryOutbox, deliveryQueue } from '../../shared/domain/deliveries/delivery.ts';
import { sweepOutbox } from '../../shared/domain/deliveries/outbox-worker.ts';
import { exportOutbox, exportQueue } from '../../shared/domain/telemetry/run-export.ts';
import { combineRequirements } from '../../shared/platform/aws/uses.ts';
import { toWorker } from '../../shared/platform/aws/worker.ts';
import { productionRuntime } from '../../shared/platform/runtime.ts';

export const requirements = combineRequirements('table:write', deliveryQueue, exportQueue);

/** Scheduled. Sends the messages of deliveries and exports that are due after a long pause, or whose message was lost. */
async function handle(_event: object, context: Context): Promise<void> {
  const timeLeftMs = () => context.getRemainingTimeInMillis();
  await sweepOutbox(productionRuntime(), deliveryOutbox, new Date(), timeLeftMs);
  await sweepOutbox(productionRuntime(), exportOutbox, new Date(), timeLeftMs);
}

export const handler = toWorker('sweep-deliveries', handle);
