import type { OperationRequest } from '../../packages/client/src/client.ts';
import type { BenchStack } from '../measure/stack.ts';

type Config = NonNullable<OperationRequest<'agents.create'>['body']['config']>;

export const agentInstructions = 'You are a helpful assistant.';

/** @param more Of its config, instead of the defaults. */
export async function publishedAgent({ api }: BenchStack, more: Partial<Config> = {}): Promise<string> {
  const config = { model: 'generic-openai/any', systemPrompt: agentInstructions, ...more };
  const { id } = await api.call('agents.create', { body: { name: 'Bench', config } });
  await api.call('agents.publish', { params: { id } });
  return id;
}
