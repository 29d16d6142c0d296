import { surfaceStore } from '../../shared/domain/products/surface-store.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda.ts';
import { SurfaceFields, SurfaceParams, toSurfaceResponse } from './response-schemas.ts';
import { toSurfaceChanges, UpdateSurfaceBody } from './schemas.ts';

export const updateSurface = defineEndpoint({
  id: 'surfaces.update',
  method: 'PUT',
  path: '/v1/products/{id}/surfaces/{surfaceId}',
  permission: 'PRODUCTS:WRITE',
  summary: 'Update a surface',
  description:
    'Omitted members stay unchanged. The members of `behavior` are replaced one by one, and null removes one; `inbound` and `outbound` are replaced as a whole. 422 if the surface should become active and its messaging channel is not connected.',
  params: SurfaceParams,
  body: UpdateSurfaceBody,
  response: { kind: 'json', bodies: { 200: SurfaceFields } },
  errors: [400, 404, 409, 422],
  needs: { surfaces: surfaceStore },

  async handle({ params: { id, surfaceId }, body }, { surfaces }) {
    return toSurfaceResponse(await surfaces.update(id, surfaceId, toSurfaceChanges(body)));
  },
});

export const handler = toLambda(updateSurface);
