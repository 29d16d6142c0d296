import { surfaceEditor } from '../../shared/domain/surfaces/surface-editor.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { outboundWithSecret, SurfaceFields, SurfaceParams, toSurfaceResponse } from './response-schemas.ts';
import { toSurfaceChanges, UpdateSurfaceBody } from './schemas.ts';

export const updateSurface = defineEndpoint({
  id: 'surfaces.update',
  method: 'PUT',
  path: '/v1/products/{id}/surfaces/{surfaceId}',
  permission: 'PRODUCTS:WRITE',
  summary: 'Update a surface',
  description:
    'Omitted members stay unchanged. The members of `behavior` are replaced one by one, and null removes one; `inbound` and `outbound` are replaced as a whole, and a secret in its stored form, as responses show it, stays. An `outbound.webhook` without `secret` keeps the stored one of the same origin; otherwise it gets a new one, which only this response shows. 409 if the tenant has 200 surfaces with secrets. 422 if the surface should become active and its messaging channel is not connected.',
  params: SurfaceParams,
  body: UpdateSurfaceBody,
  response: { kind: 'json', bodies: { 200: SurfaceFields } },
  errors: [400, 404, 409, 422],
  needs: { surfaces: surfaceEditor },

  async handle({ params: { id, surfaceId }, body }, { surfaces }) {
    const { surface, newSecret } = await surfaces.update(id, surfaceId, toSurfaceChanges(body));
    return { ...toSurfaceResponse(surface), ...outboundWithSecret(surface, newSecret) };
  },
});

export const handler = toLambda(updateSurface);
