import * as z from 'zod';
import { log } from '../../core/log.ts';
import type {
  AssistantPart,
  FilePart,
  ModelMessage,
  ModelRequest,
  ModelTool,
  ModelUsage,
  TextPart,
  ToolResultPart,
} from '../ports/model-port.ts';
import type { ResolvedModel } from './resolved-model.ts';

/** Above any model's limit; sums over millions of calls stay exact integers. */
const tokensMax = 1_000_000_000;

export const TokenCount = z.int().min(0).max(tokensMax);

const Reported = z
  .object({
    inputTokens: TokenCount,
    outputTokens: TokenCount,
    cacheReadTokens: TokenCount.optional(),
    cacheWriteTokens: TokenCount.optional(),
    reasoningTokens: TokenCount.optional(),
  })
  .refine(
    ({ inputTokens, cacheReadTokens = 0, cacheWriteTokens = 0 }) =>
      cacheReadTokens + cacheWriteTokens <= inputTokens,
    'More cached tokens than input tokens',
  );

type Said = { [Name in keyof ModelUsage]?: number | undefined };

/** Undefined if none or impossible. Such a response still counts, since it was paid for. */
export function parseUsage(said: Said, modelUsed: string): ModelUsage | undefined {
  const { inputTokens, outputTokens } = said;
  if (inputTokens === undefined || outputTokens === undefined) return undefined;
  const { data, error } = Reported.safeParse(said);
  if (error)
    log.warn('A model reported an impossible usage', { modelUsed, said, error: z.prettifyError(error) });
  return data;
}

/** Roles and separators. */
const messageTokens = 5;
/** The most that providers charge for an image. */
const imageTokens = 1_600;
const fileBytesPerToken = 40;
/** Of English prose it is four; of JSON and code, less. */
const asciiPerToken = 3.5;

export const tokensOfMessage = ({ content }: ModelMessage): number =>
  messageTokens +
  (typeof content === 'string'
    ? tokensOfText(content)
    : content.reduce((sum: number, part) => sum + tokensOfPart(part), 0));

export const tokensOfTools = (tools: readonly ModelTool[]): number =>
  tools.reduce((sum, tool) => sum + messageTokens + tokensOfText(JSON.stringify(tool)), 0);

/** Of a model of which no longest response is known. */
const outputTokensDefault = 4_096;

/** What a call counts as before its usage is known: its input, estimated, and the longest response. */
export const reserveUsage = (
  { outputTokens = outputTokensDefault }: Pick<ResolvedModel, 'outputTokens'>,
  { inputTokens, messages, tools = [], settings }: ModelRequest,
): { inputTokens: number; outputTokens: number } => ({
  inputTokens:
    inputTokens ?? messages.reduce((sum, each) => sum + tokensOfMessage(each), tokensOfTools(tools)),
  outputTokens: settings?.maxTokens ?? outputTokens,
});

function tokensOfPart(part: TextPart | FilePart | AssistantPart | ToolResultPart): number {
  switch (part.type) {
    case 'text':
    case 'reasoning':
      return tokensOfText(part.text);
    case 'file':
      return part.mediaType.startsWith('image/')
        ? imageTokens
        : Math.max(imageTokens, Math.ceil(part.data.length / fileBytesPerToken));
    case 'tool-call':
      return messageTokens + tokensOfText(part.name) + tokensOfText(toJson(part.input));
    case 'tool-result':
      return messageTokens + tokensOfText(part.name) + tokensOfText(toJson(part.output));
  }
}

const toJson = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value) ?? '');

/** A character outside of ASCII may be a token of its own. */
export function tokensOfText(text: string): number {
  let ascii = 0;
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) < 128) ascii++;
  return Math.ceil(ascii / asciiPerToken) + (text.length - ascii);
}
