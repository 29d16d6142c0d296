import { resourceId } from '../../shared/core/ids.ts';
import { deliveryResender } from '../../shared/domain/deliveries/delivery-store.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { DeliveryResponse } from './delivery-schemas.ts';
import { SurfaceParams } from './response-schemas.ts';

export const resendDelivery = defineEndpoint({
  id: 'surfaces.resend-delivery',
  method: 'POST',
  path: '/v1/products/{id}/surfaces/{surfaceId}/deliveries/{deliveryId}/resend',
  permission: 'PRODUCTS:WRITE',
  summary: 'Send a delivery again',
  description:
    'Sends a delivery again with the same id and body, whatever its status, to the URL that the surface has now. The attempts begin again, for another day. 409 while an attempt is in progress.',
  params: SurfaceParams.extend({ deliveryId: resourceId('delivery') }),
  response: { kind: 'json', bodies: { 202: DeliveryResponse } },
  errors: [400, 404, 409],
  needs: { resend: deliveryResender },

  async handle({ params: { id, surfaceId, deliveryId } }, { resend }) {
    return resend({ productId: id, surfaceId }, deliveryId);
  },
});

export const handler = toLambda(resendDelivery);
