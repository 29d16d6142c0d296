import { alertAttempt } from '../../../../shared/domain/alerts/alert-messages.ts';
import { thresholdAttempt } from '../../../../shared/domain/budgets/thresholds.ts';
import { deliveryEntity } from '../../../../shared/domain/deliveries/delivery.ts';
import { deliveryResender, deliveryStore } from '../../../../shared/domain/deliveries/delivery-store.ts';
import { deliverer } from '../../../../shared/domain/deliveries/tenant-deliveries.ts';
import { productStore } from '../../../../shared/domain/products/product-store.ts';
import { approvalAttempt } from '../../../../shared/domain/run-waits/approval-attempt.ts';
import { surfaceEditor } from '../../../../shared/domain/surfaces/surface-editor.ts';
import { taskRequests } from '../../../../shared/protocols/a2a/task-view.ts';
import { storedDelivery } from '../../../support/surfaces/deliveries.ts';
import type { Pattern } from './access-pattern.ts';
import type { AccessWorld } from './access-world.ts';

async function newPlace({ scope, owner }: AccessWorld) {
  const product = await productStore(scope).create(owner, { name: 'A product' });
  const { surface } = await surfaceEditor(scope).create(product.id, { name: 'API', type: 'api' });
  return { productId: product.id, surfaceId: surface.id };
}

/** A delivery of a surface that has no webhook any more. */
async function newDelivery(world: AccessWorld, set: { status?: 'delivered' } = {}) {
  const place = await newPlace(world);
  const { scope } = world;
  const { key } = await storedDelivery(scope, place);
  if (set.status) {
    const changes = { set: { ...set, nextAttemptAt: null } };
    await scope.table.commit([scope.table.writes.update(deliveryEntity, key, changes)]);
  }
  return { place, key };
}

/** How deliveries of webhooks ask the table. */
export const deliveryPatterns: Record<string, Pattern> = {
  'Write a delivery': {
    commands: 'PutItem',
    units: 3,
    indexes: 'GSI1, GSI2',
    run: async (world) => {
      const place = await newPlace(world);
      return () => storedDelivery(world.scope, place);
    },
  },
  'Attempt a delivery for the last time': {
    commands: '2 UpdateItem, GetItem',
    units: 4.5,
    indexes: 'GSI1, GSI2',
    run: async (world) => {
      const { key } = await newDelivery(world);
      return () =>
        deliverer(world.scope, {
          taskRequestOf: taskRequests(world.scope),
          thresholdAttempt: thresholdAttempt(world.scope),
          approvalAttempt: approvalAttempt(world.scope),
          alertAttempt: alertAttempt(world.scope),
        })(key);
    },
  },
  'A message for a delivery that is over': {
    commands: 'UpdateItem',
    // AWS counts a refused write.
    units: [0, 1],
    run: async (world) => {
      const { key } = await newDelivery(world, { status: 'delivered' });
      return () =>
        deliverer(world.scope, {
          taskRequestOf: taskRequests(world.scope),
          thresholdAttempt: thresholdAttempt(world.scope),
          approvalAttempt: approvalAttempt(world.scope),
          alertAttempt: alertAttempt(world.scope),
        })(key);
    },
  },
  'List the deliveries of a surface': {
    commands: 'GetItem, Query',
    units: 1,
    indexes: 'GSI1',
    run: async (world) => {
      const { place } = await newDelivery(world);
      return () => deliveryStore(world.scope).list(place, world.page());
    },
  },
  'Send a delivery again': {
    commands: 'GetItem, UpdateItem',
    units: 4.5,
    indexes: 'GSI1, GSI2',
    run: async (world) => {
      const { place, key } = await newDelivery(world);
      return () => deliveryResender(world.scope)(place, key.id);
    },
  },
};
