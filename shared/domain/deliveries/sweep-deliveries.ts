import { combineRequirements } from '../../platform/aws/uses.ts';
import type { Runtime } from '../../platform/runtime.ts';
import { deliveryOutbox } from './delivery.ts';
import { deliveryQueue } from './delivery-queue.ts';
import { postponeSweep } from './outbox.ts';
import { type Sweeping, sweepOutbox } from './sweep-outbox.ts';

export const deliverySweepRequirements = combineRequirements('table:write', deliveryQueue);

const deliveries: Sweeping = {
  sweep: deliveryOutbox.sweep,
  async resend(scope, { PK, SK: id }, due) {
    const key = { surfaceId: readSurfaceId(PK), id };
    await deliveryQueue(scope).send(key);
    await postponeSweep(scope, deliveryOutbox, key, { due, sentAt: due });
  },
};

export const sweepDeliveries = (runtime: Runtime, due: Date, timeLeftMs: () => number): Promise<void> =>
  sweepOutbox(runtime, deliveries, due, timeLeftMs);

/** Of a partition of deliveries: it ends with `SURFACE#<id>#DELIVERIES`. */
const readSurfaceId = (PK: string) => PK.split('#').at(-2) ?? '';
