import * as z from 'zod';
import { surfaceRemover } from '../../shared/domain/surfaces/remove-product.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { SurfaceParams } from './response-schemas.ts';

export const deleteSurface = defineEndpoint({
  id: 'surfaces.delete',
  method: 'DELETE',
  path: '/v1/products/{id}/surfaces/{surfaceId}',
  permission: 'PRODUCTS:WRITE',
  summary: 'Delete a surface',
  description: 'Also deletes its items. The capabilities that they expose stay.',
  params: SurfaceParams,
  response: { kind: 'json', bodies: { 200: z.object({ success: z.boolean() }) } },
  errors: [400, 404, 409],
  needs: { remove: surfaceRemover },

  async handle({ params: { id, surfaceId } }, { remove }) {
    await remove(id, surfaceId);
    return { success: true };
  },
});

export const handler = toLambda(deleteSurface);
