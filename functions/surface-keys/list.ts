import * as z from 'zod';
import { surfaceKeys } from '../../shared/domain/surfaces/surface-keys.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { SurfaceKeyResponse, toSurfaceKeyResponse } from '../surfaces/key-schemas.ts';
import { SurfaceParams } from '../surfaces/response-schemas.ts';

export const listSurfaceKeys = defineEndpoint({
  id: 'surface-keys.list',
  method: 'GET',
  path: '/v1/products/{id}/surfaces/{surfaceId}/keys',
  permission: 'PRODUCTS:READ',
  summary: 'List the keys of a surface',
  description: 'Newest first, without their values. `usageCount` counts the requests of a key.',
  params: SurfaceParams,
  response: { kind: 'json', bodies: { 200: z.object({ data: z.array(SurfaceKeyResponse) }) } },
  errors: [400, 404],
  needs: { keys: surfaceKeys },

  async handle({ params: { id, surfaceId } }, { keys }) {
    return { data: (await keys.list({ productId: id, surfaceId })).map(toSurfaceKeyResponse) };
  },
});

export const handler = toLambda(listSurfaceKeys);
