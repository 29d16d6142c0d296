import type { BenchApi } from '../measure/stack.ts';

/** A published flow of one template, and a product with it as its capability. */
export async function publishGreetingProduct({ call }: BenchApi) {
  const step = { type: 'template', name: 'Greet', config: { template: 'Hello {{ person }}' } } as const;
  const { id: flowId } = await call('flows.create', { body: { name: 'Greet', flowSteps: [step] } });
  await call('flows.publish', { params: { id: flowId } });
  const { id: productId } = await call('products.create', { body: { name: 'Bench' } });
  const { id: capabilityId } = await call('products.add-capability', {
    params: { id: productId },
    body: { capabilityName: 'greet', flowId },
  });
  return { flowId, productId, capabilityId };
}
