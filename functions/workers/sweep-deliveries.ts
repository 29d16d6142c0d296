import type { Context } from 'aws-lambda';
import { sweepDeliveries, sweepRequirements } from '../../shared/domain/deliveries/sweep-deliveries.ts';
import { toWorker } from '../../shared/platform/aws/worker.ts';
import { productionRuntime } from '../../shared/platform/runtime.ts';

export const requirements = sweepRequirements;

/** Scheduled. Sends the messages of deliveries that are due after a long pause, or whose message was lost. */
const handle = (_event: object, context: Context): Promise<void> =>
  sweepDeliveries(productionRuntime(), new Date(), () => context.getRemainingTimeInMillis());

export const handler = toWorker('sweep-deliveries', handle);
