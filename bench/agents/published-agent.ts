import type { RequestOf } from '../../functions/client.ts';
import type { BenchStack } from '../measure/stack.ts';

type Config = NonNullable<RequestOf<'POST /v1/agents'>['body']['config']>;

export const instructions = 'You are a helpful assistant.';

/** @param more Of its config, instead of the defaults. */
export async function publishedAgent({ api }: BenchStack, more: Partial<Config> = {}): Promise<string> {
  const config = { model: 'generic-openai/any', systemPrompt: instructions, ...more };
  const { id } = await api.call('POST /v1/agents', { body: { name: 'Bench', config } });
  await api.call('POST /v1/agents/{id}/publish', { params: { id } });
  return id;
}
