import * as z from 'zod';
import { productRemover } from '../../shared/domain/surfaces/remove-product.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { ProductParams } from './schemas.ts';

export const deleteProduct = defineEndpoint({
  id: 'products.delete',
  method: 'DELETE',
  path: '/v1/products/{id}',
  permission: 'PRODUCTS:WRITE',
  summary: 'Delete a product',
  description:
    'Also deletes its capabilities, its surfaces with their keys and schedules, and its test key. The flows and agents that it exposes stay.',
  params: ProductParams,
  response: { kind: 'json', bodies: { 200: z.object({ success: z.boolean() }) } },
  errors: [400, 404, 409],
  needs: { remove: productRemover },

  async handle({ params, principal }, { remove }) {
    await remove(principal, params.id);
    return { success: true };
  },
});

export const handler = toLambda(deleteProduct);
