import * as z from 'zod';
import { defineEntity } from '../../platform/data/entity.ts';
import { jsonText } from '../../platform/data/json-text.ts';
import { tenantPartition } from '../../platform/data/keys.ts';
import type { Canvas, Spec } from './product-body.ts';

/** A flow or an agent that the surfaces of a product can expose. Exactly one of the two ids is set. */
export const ProductCapability = z.object({
  id: z.string(),
  capabilityName: z.string(),
  capabilityDescription: z.string().nullable(),
  flowId: z.string().nullable(),
  agentId: z.string().nullable(),
  parametersSchema: z.record(z.string(), z.unknown()).nullable(),
  enabled: z.boolean(),
  displayOrder: z.int(),
  createdAt: z.string(),
});
export type ProductCapability = z.infer<typeof ProductCapability>;

/** A product with its capabilities. Its surfaces are items of their own, of which it lists the names. */
export const Product = z.object({
  id: z.string(),
  /** Incremented with each write, to detect concurrent changes. */
  revision: z.int(),
  userId: z.string(),
  organizationId: z.string().nullable(),
  name: z.string(),
  /** The name in lower case, for the substring search of lists. */
  search: z.string(),
  description: z.string().nullable(),
  icon: z.string().nullable(),
  canvas: jsonText<Canvas>(),
  spec: jsonText<Spec>(),
  capabilities: jsonText<ProductCapability[]>(),
  capabilityNames: z.array(z.string()),
  /** The API key that was created with it. A person may have deleted that key since. */
  testKeyId: z.string().optional(),
  surfaces: z.array(z.object({ id: z.string(), name: z.string(), type: z.string() })),
  createdAt: z.string(),
  updatedAt: z.string(),
});
export type Product = z.infer<typeof Product>;

export const toStoredProduct = ({
  canvas,
  spec,
  capabilities,
  ...product
}: Omit<Product, 'capabilityNames' | 'search'>): z.input<typeof Product> => ({
  ...product,
  search: product.name.toLowerCase(),
  canvas: JSON.stringify(canvas),
  spec: JSON.stringify(spec),
  capabilities: JSON.stringify(capabilities),
  capabilityNames: capabilities.map(({ capabilityName }) => capabilityName),
});

export const productsPartition = tenantPartition('PRODUCTS');
export const productPartition = (id: string) => tenantPartition(`PRODUCT#${id}`);

export const productEntity = defineEntity({
  type: 'product',
  noun: 'product',
  schema: Product,
  key: ({ id }: { id: string }) => ({ PK: productPartition(id), SK: 'PRODUCT' }),
  index: ({ id }) => ({ PK1: productsPartition, SK1: id }),
  summary: ['name', 'search', 'description', 'icon', 'capabilityNames', 'surfaces', 'createdAt', 'updatedAt'],
});
