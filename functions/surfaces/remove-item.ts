import * as z from 'zod';
import { surfaceItems } from '../../shared/domain/surfaces/surface-items.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { ItemParams } from './response-schemas.ts';

export const removeSurfaceItem = defineEndpoint({
  id: 'surfaces.remove-item',
  method: 'DELETE',
  path: '/v1/products/{id}/surfaces/{surfaceId}/items/{itemId}',
  permission: 'PRODUCTS:WRITE',
  summary: 'Remove an item from a surface',
  description: 'The capability stays.',
  params: ItemParams,
  response: { kind: 'json', bodies: { 200: z.object({ success: z.boolean() }) } },
  errors: [400, 404, 409],
  needs: { items: surfaceItems },

  async handle({ params: { id, surfaceId, itemId } }, { items }) {
    await items.remove(id, surfaceId, itemId);
    return { success: true };
  },
});

export const handler = toLambda(removeSurfaceItem);
