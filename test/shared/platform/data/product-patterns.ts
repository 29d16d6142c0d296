import { sandbox } from '../../../../shared/adapters/sandbox/sandbox.ts';
import { productCreator } from '../../../../shared/domain/products/create-product.ts';
import { productStore } from '../../../../shared/domain/products/product-store.ts';
import { exposedItems } from '../../../../shared/domain/surfaces/exposed-item.ts';
import { productCapabilities } from '../../../../shared/domain/surfaces/product-capabilities.ts';
import { productRemover, surfaceRemover } from '../../../../shared/domain/surfaces/remove-product.ts';
import { signerOfSurface } from '../../../../shared/domain/surfaces/secrets/surface-signer.ts';
import { surfaceDetails } from '../../../../shared/domain/surfaces/surface-details.ts';
import { surfaceEditor } from '../../../../shared/domain/surfaces/surface-editor.ts';
import { surfaceItems } from '../../../../shared/domain/surfaces/surface-items.ts';
import { surfaceKeys } from '../../../../shared/domain/surfaces/surface-keys.ts';
import { surfaceStore } from '../../../../shared/domain/surfaces/surface-store.ts';
import { findDeliveryBatch } from '../../../../shared/execution/targets/start-webhook.ts';
import { completeRecord, recordResources } from '../../../../shared/protocols/mcp/serve-items.ts';
import type { Pattern } from './access-pattern.ts';
import { type AccessWorld, sessionPrincipal } from './access-world.ts';

const newProduct = ({ scope, owner }: AccessWorld) =>
  productStore(scope).create(owner, { name: 'A product' });

const delivery = { surfaceId: 'surface_1', endpointSlug: 'greet', deliveryId: 'one' };

const signedBy = (secret: string) => ({
  inbound: { signature: { scheme: 'github' as const, secrets: [secret] } },
});

/** A product with a capability and a surface. */
async function newSurface(world: AccessWorld) {
  const { scope, flow } = world;
  const product = await newProduct(world);
  const given = { capabilityName: 'run', flowId: flow.id };
  const capability = await productCapabilities(scope).add(product.id, given, sandbox(scope));
  const { surface } = await surfaceEditor(scope).create(product.id, { name: 'A surface', type: 'api' });
  return { product, capability, surface, place: { productId: product.id, surfaceId: surface.id } };
}

async function newItem(world: AccessWorld) {
  const made = await newSurface(world);
  const { product, surface, capability } = made;
  const item = await surfaceItems(world.scope).add(product.id, surface.id, { capabilityId: capability.id });
  return { ...made, item };
}

async function newSurfaceKey(world: AccessWorld) {
  const made = await newSurface(world);
  const given = { name: null, environment: 'test', scopes: [], expiresAt: null } as const;
  const create = () =>
    surfaceKeys(world.scope).create(sessionPrincipal(world.tenant), made.place, { ...given, scopes: [] });
  return { ...made, create };
}

/** How the stores of products ask the table. */
export const productPatterns: Record<string, Pattern> = {
  'Create a product': {
    commands: 'PutItem',
    units: 2,
    indexes: 'GSI1',
    run: (world) => () => newProduct(world),
  },
  'Create a product with its test key': {
    commands: 'Query, TransactWriteItems',
    units: [6, 11.5],
    indexes: 'GSI1',
    run: async (world) => {
      await newProduct(world);
      return () => productCreator(world.scope)(sessionPrincipal(world.tenant), { name: 'A product' });
    },
  },
  'Delete a product with its test key': {
    commands: 'Query, 2 GetItem, TransactWriteItems, DeleteItem',
    units: [6, 14],
    indexes: 'GSI1',
    run: async (world) => {
      const by = sessionPrincipal(world.tenant);
      const { product } = await productCreator(world.scope)(by, { name: 'A product' });
      return () => productRemover(world.scope)(by, product.id);
    },
  },
  'Get a product with its surfaces': {
    commands: 'Query',
    units: 0.5,
    run: async (world) => {
      const { product } = await newSurface(world);
      return () => surfaceStore(world.scope).whole(product.id);
    },
  },
  'List products': {
    commands: 'Query',
    units: 0.5,
    indexes: 'GSI1',
    run: async (world) => {
      await newProduct(world);
      return () => productStore(world.scope).list(world.page());
    },
  },
  'Change a product': {
    commands: 'GetItem, PutItem',
    units: 2.5,
    indexes: 'GSI1',
    run: async (world) => {
      const { id } = await newProduct(world);
      return () => productStore(world.scope).update(id, { icon: 'x' });
    },
  },
  'Delete a product with a surface': {
    commands: 'Query, GetItem, TransactWriteItems',
    units: [5, 10],
    indexes: 'GSI1',
    run: async (world) => {
      const { product } = await newSurface(world);
      return () => productRemover(world.scope)(sessionPrincipal(world.tenant), product.id);
    },
  },
  'Add a capability to a product': {
    commands: '2 GetItem, PutItem',
    units: 3,
    indexes: 'GSI1',
    run: async (world) => {
      const { id } = await newProduct(world);
      const given = { capabilityName: 'run', flowId: world.flow.id };
      return () => productCapabilities(world.scope).add(id, given, sandbox(world.scope));
    },
  },
  'Remove a capability from a product': {
    commands: 'GetItem, BatchGetItem, TransactWriteItems',
    units: [6.5, 7.5, 6.5],
    indexes: 'GSI1',
    run: async (world) => {
      const { product, capability } = await newItem(world);
      return () => productCapabilities(world.scope).remove(product.id, capability.id);
    },
  },
  'Create a surface': {
    commands: 'GetItem, TransactWriteItems',
    units: [4.5, 6.5],
    indexes: 'GSI1',
    run: async (world) => {
      const { id } = await newProduct(world);
      return () => surfaceEditor(world.scope).create(id, { name: 'A surface', type: 'api' });
    },
  },
  'Create a surface with a secret': {
    commands: '3 GetItem, Query, PutItem, TransactWriteItems',
    units: [9, 12, 11.5],
    indexes: 'GSI1',
    run: async (world) => {
      const { id } = await newProduct(world);
      const given = { name: 'A surface', type: 'webhook', ...signedBy('the first secret') } as const;
      return () => surfaceEditor(world.scope).create(id, given);
    },
  },
  'Change the secret of a surface': {
    commands: 'GetItem, PutItem',
    units: 1.5,
    run: async (world) => {
      const { id } = await newProduct(world);
      const given = { name: 'A surface', type: 'webhook', ...signedBy('the first secret') } as const;
      const { surface } = await surfaceEditor(world.scope).create(id, given);
      return () => surfaceEditor(world.scope).update(id, surface.id, signedBy('the second secret'));
    },
  },
  'Get a surface with its keys and capabilities': {
    commands: 'BatchGetItem, Query',
    units: [1, 2],
    run: async (world) => {
      const { product, surface } = await newSurface(world);
      return () => surfaceDetails(world.scope)(product.id, surface.id);
    },
  },
  'List the surfaces of a product': {
    commands: 'Query, GetItem, BatchGetItem',
    units: 1.5,
    indexes: 'GSI1',
    run: async (world) => {
      const { product } = await newSurface(world);
      return () => surfaceStore(world.scope).list(product.id, world.page());
    },
  },
  'Change a surface': {
    commands: 'GetItem, PutItem',
    units: 2.5,
    indexes: 'GSI1',
    run: async (world) => {
      const { product, surface } = await newSurface(world);
      return () => surfaceEditor(world.scope).update(product.id, surface.id, { status: 'paused' });
    },
  },
  'Rename a surface': {
    commands: '2 GetItem, TransactWriteItems',
    units: [6, 7, 6],
    indexes: 'GSI1',
    run: async (world) => {
      const { product, surface } = await newSurface(world);
      return () => surfaceEditor(world.scope).update(product.id, surface.id, { name: 'Other' });
    },
  },
  'Delete a surface': {
    commands: '2 GetItem, TransactWriteItems',
    units: [5, 10],
    indexes: 'GSI1',
    run: async (world) => {
      const { product, surface } = await newSurface(world);
      return () => surfaceRemover(world.scope)(product.id, surface.id);
    },
  },
  'Add an item to a surface': {
    commands: '2 GetItem, TransactWriteItems',
    units: [3, 5],
    run: async (world) => {
      const { product, surface, capability } = await newSurface(world);
      const given = { capabilityId: capability.id };
      return () => surfaceItems(world.scope).add(product.id, surface.id, given);
    },
  },
  'Change an item of a surface': {
    commands: 'GetItem, PutItem',
    units: 1.5,
    run: async (world) => {
      const { product, surface, item } = await newItem(world);
      return () => surfaceItems(world.scope).update(product.id, surface.id, item.id, { enabled: false });
    },
  },
  'List records as resources of an mcp surface': {
    manyRecords: true,
    commands: 'Query',
    indexes: 'GSI2',
    units: 1,
    run: (world) => () => recordResources(world.scope, ['even']).list(undefined),
  },
  'Read a record as a resource': {
    commands: '2 GetItem',
    units: 2,
    run: (world) => () => recordResources(world.scope, ['even']).read('record:even/record%200'),
  },
  'Complete the name of a record': {
    manyRecords: true,
    commands: 'Query',
    indexes: 'GSI2',
    units: 1,
    run:
      ({ scope }) =>
      () =>
        completeRecord(scope, ['even'], { name: 'name', value: 'record' }, {}),
  },
  'What a surface exposes': {
    commands: 'BatchGetItem',
    units: 1,
    run: async (world) => {
      const { product, surface } = await newItem(world);
      return () => exposedItems(world.scope).findSurface(product.id, surface.id);
    },
  },
  'Verify a signed event': {
    commands: '2 GetItem',
    units: 2,
    run: async (world) => {
      const { id } = await newProduct(world);
      const given = { name: 'A surface', type: 'webhook', ...signedBy('the first secret') } as const;
      const { surface } = await surfaceEditor(world.scope).create(id, given);
      const request = { productId: id, surfaceId: surface.id, body: '{}', header: () => 'x' };
      return () => signerOfSurface(request, { scopeOf: () => world.scope });
    },
  },
  'Claim a delivery': {
    commands: 'PutItem',
    units: 1,
    run: (world) => () => findDeliveryBatch(world.scope, delivery),
  },
  'Claim a delivery again': {
    commands: 'PutItem, GetItem',
    units: [1, 2],
    run: async (world) => {
      await findDeliveryBatch(world.scope, delivery);
      return () => findDeliveryBatch(world.scope, delivery);
    },
  },
  'Create a key of a surface': {
    commands: 'Query, TransactWriteItems',
    units: [2, 11],
    run: async (world) => (await newSurfaceKey(world)).create,
  },
  'List the keys of a surface': {
    commands: 'Query, GetItem',
    units: 1.5,
    run: async (world) => {
      const { place, create } = await newSurfaceKey(world);
      await create();
      return () => surfaceKeys(world.scope).list(place);
    },
  },
  'Delete a key of a surface': {
    commands: 'GetItem, TransactWriteItems',
    units: [3, 9],
    run: async (world) => {
      const { place, create } = await newSurfaceKey(world);
      const { key } = await create();
      return () => surfaceKeys(world.scope).remove(sessionPrincipal(world.tenant), place, key.id);
    },
  },
};
