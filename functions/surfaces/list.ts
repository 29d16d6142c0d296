import * as z from 'zod';
import {
  surfaceEnvironments,
  surfaceStatuses,
  surfaceTypeNames,
} from '../../shared/domain/surfaces/surface/surface.ts';
import { surfaceStore } from '../../shared/domain/surfaces/surface-store.ts';
import { CursorPagination, CursorQuery } from '../../shared/platform/data/lists/pages.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { SurfaceFields, SurfaceParams, toSurfaceResponse } from './response-schemas.ts';

export const listSurfaces = defineEndpoint({
  id: 'surfaces.list',
  method: 'GET',
  path: '/v1/products/{id}/surfaces',
  permission: 'PRODUCTS:READ',
  summary: 'List the surfaces of a product',
  description: 'Newest first, without their items.',
  params: SurfaceParams.pick({ id: true }),
  query: CursorQuery.extend({
    type: z.enum(surfaceTypeNames).optional(),
    status: z.enum(surfaceStatuses).optional(),
    environment: z.enum(surfaceEnvironments).optional(),
  }),
  response: {
    kind: 'json',
    bodies: { 200: z.object({ data: z.array(SurfaceFields), pagination: CursorPagination }) },
  },
  errors: [400, 404],
  needs: { surfaces: surfaceStore },

  async handle({ params, query }, { surfaces }) {
    const page = await surfaces.list(params.id, query);
    return { data: page.surfaces.map(toSurfaceResponse), pagination: page.pagination };
  },
});

export const handler = toLambda(listSurfaces);
