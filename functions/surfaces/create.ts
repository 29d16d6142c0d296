import { surfaceEditor } from '../../shared/domain/surfaces/surface-editor.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { SurfaceDetailsResponse, toSurfaceDetails } from './details-schemas.ts';
import { outboundWithSecret, SurfaceParams } from './response-schemas.ts';
import { CreateSurfaceBody, toSurfaceChanges } from './schemas.ts';

export const createSurface = defineEndpoint({
  id: 'surfaces.create',
  method: 'POST',
  path: '/v1/products/{id}/surfaces',
  permission: 'PRODUCTS:WRITE',
  summary: 'Create a surface',
  description:
    'A surface is how callers reach the capabilities of a product. 400 if it should be active and its messaging channel is not connected; 409 if the product has 40 surfaces, or the tenant 200 surfaces with secrets. Secrets are write-only: responses show `configured: true` in their place. An `outbound.webhook` without `secret` gets a new one, which only this response shows.',
  params: SurfaceParams.pick({ id: true }),
  body: CreateSurfaceBody,
  response: { kind: 'json', bodies: { 201: SurfaceDetailsResponse } },
  shownOnce: ['outbound.webhook.secret'],
  errors: [400, 404, 409],
  needs: { surfaces: surfaceEditor },

  async handle({ params, body }, { surfaces }) {
    const { surface, newSecret } = await surfaces.create(params.id, { ...body, ...toSurfaceChanges(body) });
    return {
      ...toSurfaceDetails({ surface, items: [], keys: [] }),
      ...outboundWithSecret(surface, newSecret),
    };
  },
});

export const handler = toLambda(createSurface);
