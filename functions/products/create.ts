import { productCreator } from '../../shared/domain/products/create-product.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { CreateProductBody } from './schemas.ts';
import { CreatedProductResponse, toCreatedProduct } from './test-key.ts';

export const createProduct = defineEndpoint({
  id: 'products.create',
  method: 'POST',
  path: '/v1/products',
  permission: 'PRODUCTS:WRITE',
  summary: 'Create a product',
  description:
    'A product puts flows and agents, its capabilities, behind surfaces. `canvas` and `spec` are notes for people and editors: the service stores them and reads nothing from them. `testApiKey` is a test key that can use the surfaces of this product and nothing else; it takes `PRODUCTS:EXECUTE` to get one, and a tenant with 100 API keys gets none. A session can reveal it later.',
  body: CreateProductBody,
  response: { kind: 'json', bodies: { 201: CreatedProductResponse } },
  shownOnce: ['testApiKey.key'],
  errors: [400],
  needs: { create: productCreator },

  async handle({ body, principal, baseUrl }, { create }) {
    return toCreatedProduct(await create(principal, body), baseUrl());
  },
});

export const handler = toLambda(createProduct);
