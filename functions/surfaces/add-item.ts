import { NewItem, surfaceItems } from '../../shared/domain/surfaces/surface-items.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { itemExample, SurfaceItemResponse, SurfaceParams, toItemResponse } from './response-schemas.ts';

const { capabilityId, endpointSlug } = itemExample;

export const addSurfaceItem = defineEndpoint({
  id: 'surfaces.add-item',
  method: 'POST',
  path: '/v1/products/{id}/surfaces/{surfaceId}/items',
  permission: 'PRODUCTS:WRITE',
  summary: 'Add an item to a surface',
  description:
    'Exposes a capability of the product. On a surface of the type api or webhook, an item without `endpointSlug` gets one from its name. 409 if another item of the surface has the slug, the name or the route, or is the entry point, or if the surface has 64 items.',
  params: SurfaceParams,
  body: NewItem.meta({ examples: [{ capabilityId, endpointSlug }] }),
  response: { kind: 'json', bodies: { 201: SurfaceItemResponse } },
  errors: [400, 404, 409],
  needs: { items: surfaceItems },

  async handle({ params: { id, surfaceId }, body }, { items }) {
    return toItemResponse(surfaceId, await items.add(id, surfaceId, body));
  },
});

export const handler = toLambda(addSurfaceItem);
