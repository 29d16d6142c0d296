import * as z from 'zod';
import { notFound } from '../../shared/core/errors/errors.ts';
import { assertBelongs, exposedItems } from '../../shared/domain/surfaces/exposed-item.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { SurfaceParams } from './response-schemas.ts';
import { surfaceDocument } from './surface-document.ts';

export const describeSurface = defineEndpoint({
  id: 'surfaces.document',
  method: 'GET',
  path: '/v1/products/{id}/surfaces/{surfaceId}/openapi.json',
  permission: 'PRODUCTS:EXECUTE',
  accepts: ['surface-key'],
  summary: 'Get the OpenAPI document of an api surface',
  description:
    'Describes the enabled items of the surface as an API of its own, so that a client can be generated for one product. 403 for a key of another surface or product; 404 if the surface is of another type.',
  params: SurfaceParams,
  response: { kind: 'json', bodies: { 200: z.looseObject({ openapi: z.string() }) } },
  errors: [400, 404],
  needs: { items: exposedItems },

  async handle({ params: { id, surfaceId }, principal, baseUrl }, { items }) {
    const whole = await items.findSurface(id, surfaceId);
    assertBelongs(whole.surface, principal);
    if (whole.surface.type !== 'api') throw notFound('Document');
    return surfaceDocument(whole, `${baseUrl()}/v1/products/${id}/surfaces/${surfaceId}`);
  },
});

export const handler = toLambda(describeSurface);
