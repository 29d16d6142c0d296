import type { ModelRequest } from '../../ports/model-port.ts';
import type { ProviderName } from './provider-names.ts';

type ProviderOptions = Record<string, Record<string, unknown>>;

/** Where a provider takes whether a model may call several tools in one response. Google and Bedrock have nothing for it. */
const optionsOf: Readonly<Partial<Record<ProviderName, (isParallel: boolean) => ProviderOptions>>> = {
  openai: (parallelToolCalls) => ({ openai: { parallelToolCalls } }),
  anthropic: (isParallel) => ({ anthropic: { disableParallelToolUse: !isParallel } }),
  xai: (parallelToolCalls) => ({ xai: { parallelToolCalls } }),
  groq: (parallelToolCalls) => ({ groq: { parallelToolCalls } }),
  mistral: (parallelToolCalls) => ({ mistral: { parallelToolCalls } }),
  togetherai: (parallel_tool_calls) => ({ togetherai: { parallel_tool_calls } }),
  'generic-openai': (parallel_tool_calls) => ({ 'generic-openai': { parallel_tool_calls } }),
};

/** The options of a provider, with what the request says of parallel tool calls. */
export function addParallelTools(
  provider: ProviderName,
  { parallelToolCalls, tools = [] }: Pick<ModelRequest, 'parallelToolCalls' | 'tools'>,
  providerOptions: ProviderOptions | undefined,
): ProviderOptions | undefined {
  const more = parallelToolCalls === undefined || tools.length === 0 ? undefined : optionsOf[provider];
  if (!more) return providerOptions;
  const merged: ProviderOptions = { ...providerOptions };
  for (const [name, options] of Object.entries(more(parallelToolCalls as boolean))) {
    merged[name] = { ...merged[name], ...options };
  }
  return merged;
}
