import { surfaceStore } from '../../shared/domain/products/surface-store.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda.ts';
import { SurfaceDetails, SurfaceParams, toSurfaceDetails } from './response-schemas.ts';

export const getSurface = defineEndpoint({
  id: 'surfaces.get',
  method: 'GET',
  path: '/v1/products/{id}/surfaces/{surfaceId}',
  permission: 'PRODUCTS:READ',
  summary: 'Get a surface',
  description: 'With its items, and what they expose.',
  params: SurfaceParams,
  response: { kind: 'json', bodies: { 200: SurfaceDetails } },
  errors: [400, 404],
  needs: { surfaces: surfaceStore },

  async handle({ params: { id, surfaceId } }, { surfaces }) {
    return toSurfaceDetails(await surfaces.withCapabilities(id, surfaceId));
  },
});

export const handler = toLambda(getSurface);
