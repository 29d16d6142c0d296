import type { ModelRequest, ModelTool } from '../../../adapters/ports/model-port.ts';
import { omitUndefined } from '../../../core/defined.ts';
import { invalidAt } from '../../../core/errors/errors.ts';
import type { ChatRequest, FunctionDefinition, ResponseFormat } from './chat-request.ts';

type Asked = Omit<ModelRequest, 'signal' | 'messages'>;

const noParameters = { type: 'object', properties: {} };

const toolOf = ({ name, description, parameters }: FunctionDefinition): ModelTool => ({
  name,
  ...(description && { description }),
  parameters: parameters ?? noParameters,
});

/** What a request asks of a model, but its messages. @throws 400 */
export function toModelOptions(request: ChatRequest): Asked {
  const { model, stream, tools, response_format: format, reasoning_effort: effort, stop } = request;
  return {
    model,
    streamed: stream ?? false,
    tools: tools?.map((tool) => toolOf(tool.function)),
    toolChoice: toolChoiceOf(request),
    parallelToolCalls: request.parallel_tool_calls ?? undefined,
    format: format ? toModelFormat(format) : undefined,
    ...(effort && { reasoning: { effort: effort === 'max' ? 'xhigh' : effort } }),
    settings: omitUndefined({
      temperature: request.temperature ?? undefined,
      topP: request.top_p ?? undefined,
      maxTokens: request.max_completion_tokens ?? request.max_tokens ?? undefined,
      frequencyPenalty: request.frequency_penalty ?? undefined,
      presencePenalty: request.presence_penalty ?? undefined,
      seed: request.seed ?? undefined,
      stopSequences: stop == null ? undefined : [stop].flat(),
    }),
  };
}

function toolChoiceOf({ tools, tool_choice: choice }: ChatRequest): ModelRequest['toolChoice'] {
  if (typeof choice === 'string' || !choice) {
    if (choice === 'required' && !tools?.length)
      throw invalidAt('tool_choice', 'INVALID_VALUE', 'Requires tools');
    return choice ?? undefined;
  }
  const { name } = choice.function;
  assertListed(tools?.map((tool) => tool.function.name) ?? [], name);
  return { tool: name };
}

/** @throws 400 */
function assertListed(names: readonly string[], name: string): void {
  if (!names.includes(name))
    throw invalidAt('tool_choice', 'INVALID_VALUE', `The tool ${name} is not one of tools`);
}

export function toModelFormat(format: ResponseFormat): ModelRequest['format'] {
  if (format.type === 'text') return { type: 'text' };
  const schema = format.type === 'json_schema' ? format.json_schema.schema : undefined;
  return { type: 'json', ...(schema && { schema }) };
}
