import * as z from 'zod';
import { surfaceKeys } from '../../shared/domain/surfaces/surface-keys.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { SurfaceKeyParams } from './schemas.ts';

export const deleteSurfaceKey = defineEndpoint({
  id: 'surface-keys.delete',
  method: 'DELETE',
  path: '/v1/products/{id}/surfaces/{surfaceId}/keys/{keyId}',
  permission: 'PRODUCTS:WRITE',
  summary: 'Delete a key of a surface',
  description: 'It stops working at once.',
  params: SurfaceKeyParams,
  response: { kind: 'json', bodies: { 200: z.object({ success: z.boolean() }) } },
  errors: [400, 404],
  needs: { keys: surfaceKeys },

  async handle({ params: { id, surfaceId, keyId }, principal }, { keys }) {
    await keys.remove(principal, { productId: id, surfaceId }, keyId);
    return { success: true };
  },
});

export const handler = toLambda(deleteSurfaceKey);
