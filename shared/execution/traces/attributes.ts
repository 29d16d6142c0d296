import { toGenAiReason } from './messages.ts';

type Attributes = Record<string, unknown>;

/** The names of OpenTelemetry for providers that it calls by another name. */
const providerNames: Record<string, string> = {
  google: 'gcp.gemini',
  bedrock: 'aws.bedrock',
  mistral: 'mistral_ai',
  xai: 'x_ai',
};

export interface ModelUseOfSpan {
  /** `<provider>/<modelId>`, or the name that was asked for. */
  model: string | undefined;
  operation?: 'chat' | 'embeddings';
  inputTokens?: number | undefined;
  outputTokens?: number | undefined;
  cachedInputTokens?: number | undefined;
  reasoningTokens?: number | undefined;
  /** USD as decimal text. */
  cost?: string | null | undefined;
  /** Undefined for a call that failed. */
  stopReason?: string | undefined;
  failed?: boolean;
  firstMs?: number | undefined;
}

/** @see https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-spans/ */
export function toModelAttributes(use: ModelUseOfSpan): Attributes {
  const { model = '', operation = 'chat', cost, firstMs, stopReason, failed = false } = use;
  const slash = model.indexOf('/');
  const provider = slash < 0 ? undefined : model.slice(0, slash);
  const name = model.slice(slash + 1) || undefined;
  return omitEmpty({
    'gen_ai.operation.name': operation,
    'gen_ai.provider.name': provider && (providerNames[provider] ?? provider),
    'gen_ai.request.model': name,
    'gen_ai.response.model': failed ? undefined : name,
    'gen_ai.response.finish_reasons': stopReason && [toGenAiReason(stopReason)],
    'gen_ai.response.time_to_first_chunk': firstMs === undefined ? undefined : firstMs / 1_000,
    'gen_ai.usage.input_tokens': use.inputTokens,
    'gen_ai.usage.output_tokens': use.outputTokens,
    'gen_ai.usage.cache_read.input_tokens': use.cachedInputTokens || undefined,
    'gen_ai.usage.reasoning.output_tokens': use.reasoningTokens || undefined,
    'run.cost_usd': cost ?? undefined,
  });
}

export const toToolAttributes = (tool: {
  name: string;
  id?: string | undefined;
  type?: string | undefined;
}) =>
  omitEmpty({
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': tool.name,
    'gen_ai.tool.call.id': tool.id,
    'gen_ai.tool.type': tool.type,
  });

export const toStepAttributes = (id: string | undefined, type: string | undefined) =>
  omitEmpty({ 'flow.step.id': id, 'flow.step.type': type });

export const omitEmpty = (attributes: Attributes): Attributes =>
  Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined && value !== ''));
