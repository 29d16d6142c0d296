import * as z from 'zod';
import { productStore } from '../../shared/domain/products/product-store.ts';
import { CursorPagination, CursorQuery } from '../../shared/platform/data/lists/pages.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';

const ProductListItem = z
  .object({
    id: z.string(),
    name: z.string(),
    description: z.string().nullable(),
    icon: z.string().nullable(),
    capabilities: z.array(z.object({ capabilityName: z.string() })),
    capabilityCount: z.int(),
    surfaces: z.array(z.object({ name: z.string(), type: z.string() })),
    surfaceCount: z.int(),
    createdAt: z.string(),
    updatedAt: z.string(),
  })
  .meta({
    id: 'ProductListItem',
    examples: [
      {
        id: 'product_01k9m4v7d3x8qz5w2r6t0y1hbn',
        name: 'Airport desk',
        icon: null,
        description: 'Answers questions about airports',
        capabilities: [{ capabilityName: 'describe-airport' }],
        capabilityCount: 1,
        surfaces: [{ name: 'Public API', type: 'api' }],
        surfaceCount: 1,
        createdAt: '2026-11-22T09:30:00.000Z',
        updatedAt: '2026-11-22T09:30:00.000Z',
      },
    ],
  });

export const listProducts = defineEndpoint({
  id: 'products.list',
  method: 'GET',
  path: '/v1/products',
  permission: 'PRODUCTS:READ',
  summary: 'List products',
  description: 'Newest first. `search` matches a part of the name, case-insensitively.',
  query: CursorQuery.extend({ search: z.string().max(255).optional() }),
  response: {
    kind: 'json',
    bodies: { 200: z.object({ data: z.array(ProductListItem), pagination: CursorPagination }) },
  },
  errors: [400],
  needs: { products: productStore },

  async handle({ query }, { products }) {
    const page = await products.list(query);
    const data = page.products.map(({ capabilityNames, surfaces, ...product }) => ({
      ...product,
      capabilities: capabilityNames.map((capabilityName) => ({ capabilityName })),
      capabilityCount: capabilityNames.length,
      surfaces: surfaces.map(({ name, type }) => ({ name, type })),
      surfaceCount: surfaces.length,
    }));
    return { data, pagination: page.pagination };
  },
});

export const handler = toLambda(listProducts);
