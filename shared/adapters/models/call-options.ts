import type {
  JSONValue,
  LanguageModelV4CallOptions,
  LanguageModelV4Message,
  LanguageModelV4ToolResultOutput,
  SharedV4ProviderOptions,
} from '@ai-sdk/provider';
import { omitUndefined } from '../../core/defined.ts';
import { withRawNumbers } from '../../core/json/exact-json.ts';
import type {
  AssistantPart,
  FilePart,
  ModelMessage,
  ModelRequest,
  ModelTool,
  TextPart,
  ToolResultPart,
} from '../ports/model-port.ts';
import type { CacheMarks } from './cache-marks.ts';
import { providerOptionBuilders } from './provider-options.ts';
import { withParallelTools } from './providers/parallel-tools.ts';
import type { ProviderName } from './providers/provider-names.ts';
import type { ResolvedModel } from './resolved-model.ts';

/** Converts a request to the AI SDK's provider interface. */
export function toCallOptions(
  request: ModelRequest,
  { provider, modelId }: Pick<ResolvedModel, 'provider' | 'modelId'>,
  marks?: CacheMarks,
): LanguageModelV4CallOptions {
  const { messages, tools = [], toolChoice = 'auto', format, reasoning, settings, signal } = request;
  const { maxTokens: maxOutputTokens, ...others } = settings ?? {};
  const ofProvider = providerOptionBuilders[provider](modelId, request, marks);
  const providerOptions = withParallelTools(provider, request, ofProvider);
  const begun = messages.findIndex(({ role }) => role !== 'system');
  const systemAfter = systemFirst.has(provider) && begun !== -1 ? begun : Number.POSITIVE_INFINITY;
  return {
    prompt: messages.map((message, index) => ({
      ...messageOf(systemAfter < index && message.role === 'system' ? asUser(message) : message),
      ...(marks?.after.has(message) && { providerOptions: marks.mark }),
    })),
    ...(tools.length > 0 && {
      tools: tools.map((tool, index) => ({
        ...toolOf(tool),
        ...(marks?.afterTools && index === tools.length - 1 && { providerOptions: marks.mark }),
      })),
      toolChoice: toolChoiceOf(toolChoice),
    }),
    ...(format?.type === 'json' && {
      responseFormat: { type: 'json', ...(format.schema && { schema: format.schema as never }) },
    }),
    ...(reasoning?.effort && { reasoning: reasoning.effort }),
    ...(providerOptions && { providerOptions: providerOptions as SharedV4ProviderOptions }),
    ...omitUndefined({ ...others, maxOutputTokens }),
    abortSignal: signal,
  };
}

/** They refuse system messages after others, or some of their models do. */
const systemFirst: ReadonlySet<ProviderName> = new Set(['anthropic', 'bedrock', 'google', 'mistral']);

/** At the beginning it would hold for what was said before it too. */
const asUser = ({ content }: ModelMessage): ModelMessage => ({
  role: 'user',
  content: `<system>\n${content}\n</system>`,
});

function messageOf(message: ModelMessage): LanguageModelV4Message {
  switch (message.role) {
    case 'system':
      return message;
    case 'user':
      return { role: 'user', content: partsOf(message.content).map(userPartOf) };
    case 'assistant':
      return {
        role: 'assistant',
        content: partsOf(message.content).map(assistantPartOf),
      };
    case 'tool':
      return {
        role: 'tool',
        content: message.content.map((part) => ({
          type: 'tool-result',
          toolCallId: part.id,
          toolName: part.name,
          output: resultOf(part),
        })),
      };
  }
}

const partsOf = <Part>(content: string | readonly Part[]): readonly (Part | TextPart)[] =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : content;

function assistantPartOf({ providerData, ...part }: AssistantPart) {
  const providerOptions = providerData as SharedV4ProviderOptions | undefined;
  return {
    ...(part.type === 'tool-call'
      ? { type: part.type, toolCallId: part.id, toolName: part.name, input: withRawNumbers(part.input) }
      : part),
    ...(providerOptions && { providerOptions }),
  };
}

const userPartOf = (part: TextPart | FilePart) =>
  part.type === 'text'
    ? { type: part.type, text: part.text }
    : {
        type: 'file' as const,
        data: { type: 'data' as const, data: part.data },
        mediaType: part.mediaType,
        ...(part.filename !== undefined && { filename: part.filename }),
      };

function resultOf({ output, failed }: ToolResultPart): LanguageModelV4ToolResultOutput {
  if (typeof output === 'string') return { type: failed ? 'error-text' : 'text', value: output };
  return { type: failed ? 'error-json' : 'json', value: withRawNumbers(output) as JSONValue };
}

const toolOf = ({ name, description, parameters }: ModelTool) => ({
  type: 'function' as const,
  name,
  ...(description !== undefined && { description }),
  inputSchema: parameters as never,
});

const toolChoiceOf = (choice: NonNullable<ModelRequest['toolChoice']>) =>
  typeof choice === 'string' ? { type: choice } : { type: 'tool' as const, toolName: choice.tool };
