import { ItemChanges, surfaceItems } from '../../shared/domain/surfaces/surface-items.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { ItemParams, SurfaceItemResponse, toItemResponse } from './response-schemas.ts';

export const updateSurfaceItem = defineEndpoint({
  id: 'surfaces.update-item',
  method: 'PUT',
  path: '/v1/products/{id}/surfaces/{surfaceId}/items/{itemId}',
  permission: 'PRODUCTS:WRITE',
  summary: 'Update an item of a surface',
  description:
    'Omitted members stay unchanged. `config` is merged deeply. null clears `endpointSlug`, `exposedName`, `exposedDescription`, `config` and `presentation`; where items are called by their slugs, the name of the item, or else of its capability, makes another slug. 409 if another item of the surface has the slug, the name or the route, or is the entry point.',
  params: ItemParams,
  body: ItemChanges.meta({ examples: [{ enabled: false }] }),
  response: { kind: 'json', bodies: { 200: SurfaceItemResponse } },
  errors: [400, 404, 409],
  needs: { items: surfaceItems },

  async handle({ params: { id, surfaceId, itemId }, body }, { items }) {
    return toItemResponse(surfaceId, await items.update(id, surfaceId, itemId, body));
  },
});

export const handler = toLambda(updateSurfaceItem);
