import { limitQueueTime, sandbox } from '../../shared/adapters/sandbox/sandbox.ts';
import { CapabilityChanges, productCapabilities } from '../../shared/domain/surfaces/product-capabilities.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { CapabilityParams, ProductCapabilityResponse, toCapabilityResponse } from './capability-schemas.ts';

export const updateProductCapability = defineEndpoint({
  id: 'products.update-capability',
  method: 'PUT',
  path: '/v1/products/{id}/capabilities/{capabilityId}',
  permission: 'PRODUCTS:WRITE',
  summary: 'Update a capability of a product',
  description:
    'Omitted members stay unchanged. `refreshSchema` derives `parametersSchema` again from the flow or the agent, of which there may be none any more: then 404. 409 if another capability of the product has the name.',
  params: CapabilityParams,
  body: CapabilityChanges.meta({ examples: [{ refreshSchema: true }] }),
  response: { kind: 'json', bodies: { 200: ProductCapabilityResponse } },
  errors: [400, 404, 409, 503],
  needs: { capabilities: productCapabilities, sandbox },

  async handle({ params: { id, capabilityId }, body, signal }, { capabilities, sandbox }) {
    const limited = limitQueueTime(sandbox, signal);
    return toCapabilityResponse(id, await capabilities.update(id, capabilityId, body, limited));
  },
});

export const handler = toLambda(updateProductCapability);
