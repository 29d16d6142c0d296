import * as z from 'zod';
import { deliveryDays, deliveryStatuses } from '../../shared/domain/deliveries/delivery.ts';
import { deliveryStore } from '../../shared/domain/deliveries/delivery-store.ts';
import { CursorPagination, CursorQuery } from '../../shared/platform/data/lists/pages.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { DeliveryResponse } from './delivery-schemas.ts';
import { SurfaceParams } from './response-schemas.ts';

export const listSurfaceDeliveries = defineEndpoint({
  id: 'surfaces.deliveries',
  method: 'GET',
  path: '/v1/products/{id}/surfaces/{surfaceId}/deliveries',
  permission: 'PRODUCTS:READ',
  summary: 'List the deliveries of a webhook',
  description: `What the outgoing webhook of a surface sent, or tries to send, newest first, with its attempts. Kept for ${deliveryDays} days.`,
  params: SurfaceParams,
  query: CursorQuery.extend({ status: z.enum(deliveryStatuses).optional() }),
  response: {
    kind: 'json',
    bodies: { 200: z.object({ data: z.array(DeliveryResponse), pagination: CursorPagination }) },
  },
  errors: [400, 404],
  needs: { store: deliveryStore },

  async handle({ params: { id, surfaceId }, query }, { store }) {
    const { deliveries, pagination } = await store.list({ productId: id, surfaceId }, query);
    return { data: deliveries, pagination };
  },
});

export const handler = toLambda(listSurfaceDeliveries);
