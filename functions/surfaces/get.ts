import { surfaceDetails } from '../../shared/domain/surfaces/surface-details.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { SurfaceDetailsResponse, toSurfaceDetails } from './details-schemas.ts';
import { SurfaceParams } from './response-schemas.ts';

export const getSurface = defineEndpoint({
  id: 'surfaces.get',
  method: 'GET',
  path: '/v1/products/{id}/surfaces/{surfaceId}',
  permission: 'PRODUCTS:READ',
  summary: 'Get a surface',
  description:
    'With its keys, without their values, and with its items and what they expose. `parametersSchema` and `cachedSkills` are null where all of them together have more than 2 MB.',
  params: SurfaceParams,
  response: { kind: 'json', bodies: { 200: SurfaceDetailsResponse } },
  errors: [400, 404],
  needs: { detailsOf: surfaceDetails },

  async handle({ params: { id, surfaceId } }, { detailsOf }) {
    return toSurfaceDetails(await detailsOf(id, surfaceId));
  },
});

export const handler = toLambda(getSurface);
