import { tokensOfMessage, tokensOfTools } from '../../adapters/models/token-estimate.ts';
import type { ModelMessage, ModelTool, ModelUsage } from '../../adapters/ports/model-port.ts';

/** What the provider counted: the first `messages` of a conversation, the last of which is the response. */
export interface MeasuredContext {
  messages: number;
  usage: Pick<ModelUsage, 'inputTokens' | 'outputTokens'>;
}

/** What the provider counted in the last turn is exact; the rest is an estimate that is rather too high. */
export function estimateTokens(
  messages: readonly ModelMessage[],
  { tools = [], measured }: { tools?: readonly ModelTool[]; measured?: MeasuredContext | undefined } = {},
): number {
  const sumOf = (some: readonly ModelMessage[]) => some.reduce((sum, each) => sum + tokensOfMessage(each), 0);
  if (!measured || measured.messages > messages.length) return tokensOfTools(tools) + sumOf(messages);
  const { inputTokens, outputTokens } = measured.usage;
  // The count covers the tools too.
  return inputTokens + outputTokens + sumOf(messages.slice(measured.messages));
}
