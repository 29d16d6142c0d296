import { productStore } from '../../shared/domain/products/product-store.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda.ts';
import { CreateProductBody, toWholeProduct, WholeProductResponse } from './schemas.ts';

export const createProduct = defineEndpoint({
  id: 'products.create',
  method: 'POST',
  path: '/v1/products',
  permission: 'PRODUCTS:WRITE',
  summary: 'Create a product',
  description:
    'A product puts flows and agents, its capabilities, behind surfaces. `canvas` and `spec` are notes for people and editors: the service stores them and reads nothing from them.',
  body: CreateProductBody,
  response: { kind: 'json', bodies: { 201: WholeProductResponse } },
  errors: [400],
  needs: { products: productStore },

  async handle({ body, principal: { userId, organizationId } }, { products }) {
    return toWholeProduct(await products.create({ userId, organizationId }, body), []);
  },
});

export const handler = toLambda(createProduct);
