import type { Context } from 'aws-lambda';
import {
  deliverySweepRequirements,
  sweepDeliveries,
} from '../../shared/domain/deliveries/sweep-deliveries.ts';
import { exportSweepRequirements, sweepExports } from '../../shared/domain/telemetry/sweep-exports.ts';
import { combineRequirements } from '../../shared/platform/aws/uses.ts';
import { toWorker } from '../../shared/platform/aws/worker.ts';
import { productionRuntime } from '../../shared/platform/runtime.ts';

export const requirements = combineRequirements(deliverySweepRequirements, exportSweepRequirements);

/** Scheduled. Sends the messages of deliveries and exports that are due after a long pause, or whose message was lost. */
async function handle(_event: object, context: Context): Promise<void> {
  const timeLeftMs = () => context.getRemainingTimeInMillis();
  await sweepDeliveries(productionRuntime(), new Date(), timeLeftMs);
  await sweepExports(productionRuntime(), new Date(), timeLeftMs);
}

export const handler = toWorker('sweep-deliveries', handle);
