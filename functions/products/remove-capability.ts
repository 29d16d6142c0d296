import * as z from 'zod';
import { productCapabilities } from '../../shared/domain/surfaces/product-capabilities.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { CapabilityParams } from './capability-schemas.ts';

export const removeProductCapability = defineEndpoint({
  id: 'products.remove-capability',
  method: 'DELETE',
  path: '/v1/products/{id}/capabilities/{capabilityId}',
  permission: 'PRODUCTS:WRITE',
  summary: 'Remove a capability from a product',
  description: 'Also removes the items of surfaces that expose it. The flow or the agent stays.',
  params: CapabilityParams,
  response: { kind: 'json', bodies: { 200: z.object({ success: z.boolean() }) } },
  errors: [400, 404, 409],
  needs: { capabilities: productCapabilities },

  async handle({ params }, { capabilities }) {
    await capabilities.remove(params.id, params.capabilityId);
    return { success: true };
  },
});

export const handler = toLambda(removeProductCapability);
