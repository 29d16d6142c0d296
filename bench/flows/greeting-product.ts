import type { Api } from '../measure/stack.ts';

/** A published flow of one template, and a product with it as its capability. */
export async function greetingProduct({ call }: Api) {
  const step = { type: 'template', name: 'Greet', config: { template: 'Hello {{ person }}' } } as const;
  const { id: flowId } = await call('POST /v1/flows', { body: { name: 'Greet', flowSteps: [step] } });
  await call('POST /v1/flows/{id}/publish', { params: { id: flowId } });
  const { id: productId } = await call('POST /v1/products', { body: { name: 'Bench' } });
  const { id: capabilityId } = await call('POST /v1/products/{id}/capabilities', {
    params: { id: productId },
    body: { capabilityName: 'greet', flowId },
  });
  return { flowId, productId, capabilityId };
}
