import * as z from 'zod';
import { resourceId } from '../../shared/core/ids.ts';
import { ProductCapability } from '../../shared/domain/products/product.ts';

export const CapabilityParams = z.object({ id: resourceId('product'), capabilityId: resourceId('cap') });

export const capabilityExample = {
  id: 'cap_01k9m4v7d3x8qz5w2r6t0y1hbn',
  productId: 'product_01k9m4v7d3x8qz5w2r6t0y1hbn',
  capabilityName: 'describe-airport',
  capabilityDescription: 'Describes an airport by its code',
  flowId: 'flow_01k9m4v7d3x8qz5w2r6t0y1hbn',
  agentId: null,
  parametersSchema: { type: 'object', properties: { code: {} }, required: ['code'] },
  enabled: true,
  displayOrder: 0,
  createdAt: '2026-11-22T09:30:00.000Z',
};

export const ProductCapabilityResponse = ProductCapability.extend({ productId: z.string() }).meta({
  id: 'ProductCapability',
  examples: [capabilityExample],
});

export const toCapabilityResponse = (productId: string, capability: ProductCapability) => ({
  productId,
  ...capability,
});
