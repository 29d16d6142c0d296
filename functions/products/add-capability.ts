import { limitQueueTime, sandbox } from '../../shared/adapters/sandbox/sandbox.ts';
import { NewCapability, productCapabilities } from '../../shared/domain/surfaces/product-capabilities.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import {
  CapabilityParams,
  capabilityExample,
  ProductCapabilityResponse,
  toCapabilityResponse,
} from './capability-schemas.ts';

const { capabilityName, capabilityDescription, flowId } = capabilityExample;
const example = { capabilityName, capabilityDescription, flowId };

export const addProductCapability = defineEndpoint({
  id: 'products.add-capability',
  method: 'POST',
  path: '/v1/products/{id}/capabilities',
  permission: 'PRODUCTS:WRITE',
  summary: 'Add a capability to a product',
  description:
    'Lets the surfaces of the product run a flow or an agent. Without `parametersSchema`, the parameters of a flow are the variables that its steps read and none of them sets; an agent takes a `message`. 404 if the product, the flow or the agent does not exist; 409 if the product has a capability with the name, or 64 capabilities.',
  params: CapabilityParams.pick({ id: true }),
  body: NewCapability.meta({ examples: [example] }),
  response: { kind: 'json', bodies: { 201: ProductCapabilityResponse } },
  errors: [400, 404, 409, 503],
  needs: { capabilities: productCapabilities, sandbox },

  async handle({ params: { id }, body, signal }, { capabilities, sandbox }) {
    return toCapabilityResponse(id, await capabilities.add(id, body, limitQueueTime(sandbox, signal)));
  },
});

export const handler = toLambda(addProductCapability);
