import { productStore } from '../../shared/domain/products/product-store.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { ProductParams, toProductResponse, UpdatedProduct, UpdateProductBody } from './schemas.ts';

export const updateProduct = defineEndpoint({
  id: 'products.update',
  method: 'PUT',
  path: '/v1/products/{id}',
  permission: 'PRODUCTS:WRITE',
  summary: 'Update a product',
  description:
    'Omitted members stay unchanged. `canvas` and `spec` are merged deeply: objects are merged, lists and other values are replaced, and null removes a member. null also clears `description` and `icon`.',
  params: ProductParams,
  body: UpdateProductBody,
  response: { kind: 'json', bodies: { 200: UpdatedProduct } },
  errors: [400, 404, 409],
  needs: { products: productStore },

  async handle({ params, body, baseUrl }, { products }) {
    return toProductResponse(await products.update(params.id, body), baseUrl());
  },
});

export const handler = toLambda(updateProduct);
