import type { SharedV4ProviderOptions } from '@ai-sdk/provider';
import type { ModelMessage, ModelRequest } from '../ports/model-port.ts';
import { modelCacheTokensMin } from './catalog.ts';
import type { ProviderName } from './providers/provider-names.ts';
import type { ResolvedModel } from './resolved-model.ts';
import { tokensOfMessage, tokensOfTools } from './token-estimate.ts';

/** Where a request says that the provider shall cache everything before. */
export interface CacheMarks {
  /** The mark, as the SDK takes it on a message or a tool. */
  mark: SharedV4ProviderOptions;
  afterTools: boolean;
  after: ReadonlySet<ModelMessage>;
}

/** The providers that cache only what is marked. The others cache the beginnings of requests by themselves, or nothing. */
const marks: Partial<Record<ProviderName, SharedV4ProviderOptions>> = {
  anthropic: { anthropic: { cacheControl: { type: 'ephemeral' } } },
  bedrock: { bedrock: { cachePoint: { type: 'default' } } },
};

/** Marks the end of what is long enough for the model. One that the catalog does not list gets no marks: it may reject them. */
export async function cacheMarks(
  model: Pick<ResolvedModel, 'provider' | 'modelId' | 'promptCaching'>,
  { messages, tools = [], promptCaching = model.promptCaching }: ModelRequest,
): Promise<CacheMarks | undefined> {
  const mark = marks[model.provider];
  if (!mark || promptCaching === 'off') return undefined;
  const tokensMin = await modelCacheTokensMin(model);
  if (tokensMin === undefined) return undefined;
  let tokens = tokensOfTools(tools);
  const afterTools = tools.length > 0 && tokens >= tokensMin;
  const ends = endsIn(messages);
  const after = messages.filter((message) => {
    if (tokens < tokensMin) tokens += tokensOfMessage(message);
    return ends.includes(message) && tokens >= tokensMin;
  });
  return { mark, afterTools, after: new Set(after) };
}

/** How far a provider looks back from a mark for what an earlier request marked, in parts of messages. */
const partsSeen = 20;

/**
 * The end of the system prompt, and the last message but one: the last one differs between requests that go on. And the
 * response that the request before marked, if a mark further on would not find it.
 */
function endsIn(messages: readonly ModelMessage[]): (ModelMessage | undefined)[] {
  const first = messages.findIndex(({ role }) => role !== 'system');
  const before = messages.slice(0, -2).findLastIndex(({ role }) => role === 'assistant');
  const parts = messages.slice(before + 1, -1).reduce((sum, each) => sum + partCount(each), 0);
  return [
    first > 0 ? messages[first - 1] : undefined,
    parts >= partsSeen ? messages[before] : undefined,
    messages.at(-2),
  ];
}

const partCount = ({ content }: ModelMessage) => (typeof content === 'string' ? 1 : content.length);
