import { surfaceStore } from '../../shared/domain/surfaces/surface-store.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { ProductParams, toWholeProduct, WholeProductResponse } from './schemas.ts';

export const getProduct = defineEndpoint({
  id: 'products.get',
  method: 'GET',
  path: '/v1/products/{id}',
  permission: 'PRODUCTS:READ',
  summary: 'Get a product',
  description: 'With its capabilities and its surfaces, oldest first.',
  params: ProductParams,
  response: { kind: 'json', bodies: { 200: WholeProductResponse } },
  errors: [400, 404],
  needs: { surfaces: surfaceStore },

  async handle({ params, baseUrl }, { surfaces }) {
    const whole = await surfaces.whole(params.id);
    return toWholeProduct(whole.product, whole.surfaces, baseUrl());
  },
});

export const handler = toLambda(getProduct);
