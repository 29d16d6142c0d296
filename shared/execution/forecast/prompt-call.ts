import type { ModelLimits, ModelPort } from '../../adapters/ports/model-port.ts';
import { loadEachOnce } from '../../core/concurrency/load-once.ts';
import { type Message, messageText } from '../../domain/conversations/message.ts';
import type { PromptConfig } from '../../domain/flows/step-types/prompt.ts';
import { fallbackAttempts, stepErrorHandling } from '../../domain/flows/steps/error-handling.ts';
import { estimateTokens } from '../agent-loop/compaction.ts';
import { getLongestResponse, getWorstCaseCost } from '../model-calls/call-cost.ts';

/** What the plan of a prompt says. */
export interface PromptRequest {
  model: string;
  system: readonly string[];
  messages: readonly Message[];
  resolvedPrompt: string;
  format: NonNullable<PromptConfig['responseFormat']>;
  settings: { maxTokens?: number };
  tools?: { maxToolCalls?: number };
}

export interface HighestCost {
  calls: number;
  /** USD; null if nothing limits it. */
  cost: number | null;
  /** The longest response in tokens; null if nothing limits it, or if it is no plain text. */
  response: number | null;
  /** Why there is no limit. */
  note?: string;
}

/** Roles and separators of messages, and what providers add. */
const tokensPerPart = 16;
/** A text of a token of one model has at most so many tokens of another. */
const tokensPerToken = 4;

export const estimatePromptTokens = ({ system, messages }: PromptRequest): number =>
  estimateTokens([
    { role: 'system', content: system.join('\n\n') },
    ...messages.map((message) => ({ role: 'user' as const, content: messageText(message) })),
  ]);

/** No token is shorter than a byte of UTF-8. Undefined with files. */
function countBytes({ system, messages, format }: PromptRequest): number | undefined {
  if (
    messages.some(({ content }) => typeof content !== 'string' && content.some(({ type }) => type !== 'text'))
  )
    return undefined;
  const texts = [
    ...system,
    ...messages.map(messageText),
    typeof format === 'object' ? JSON.stringify(format) : '',
  ];
  return texts.reduce((sum, text) => sum + Buffer.byteLength(text) + tokensPerPart, tokensPerPart);
}

interface Bounding {
  config: Pick<PromptConfig, 'model' | 'maxTokens' | 'responseFormat' | 'tools' | 'errorHandling'>;
  /** Absent if it is not known what the step asks for. */
  request?: PromptRequest | undefined;
  /** What unknown outputs add to the input; null if nothing limits that. */
  added: number | null;
  maxRetries: number;
}

/** What a prompt costs at most on one record: with all its fallbacks, retries and turns, each as long as its limits. */
export async function boundCost(models: ForecastModels, bounding: Bounding): Promise<HighestCost> {
  const { config, maxRetries } = bounding;
  const hasSchema = typeof config.responseFormat === 'object';
  const turns = config.tools ? (config.tools.maxToolCalls ?? 10) + 1 : 1;
  const attempts = await listAttempts(models, config);
  let [calls, cost, response] = [0, 0 as number | null, 0 as number | null];
  let note: string | undefined;
  for (const { model, maxTokens } of attempts) {
    const limits = await models.limits(model);
    const output = getLongestResponse({ inputTokens: 0, maxTokens }, { ...limits, contextTokens: undefined });
    const first = boundInputTokens(bounding, limits);
    const again = limits.contextTokens;
    const repeats = turns * (hasSchema ? 2 : 1);
    const toCost = (input: number | undefined) =>
      input === undefined || output === undefined ? undefined : getHighestPrice({ input, output }, limits);
    const [one, more] = [toCost(first), repeats > 1 ? toCost(again) : 0];
    calls += repeats;
    if (one === undefined || more === undefined || output === undefined) {
      cost = null;
      note = explainUnlimited(model, limits, output);
    } else if (cost !== null) cost += one + (repeats - 1) * more;
    response = response === null || output === undefined ? null : Math.max(response, output);
  }
  const isText = typeof config.responseFormat !== 'object' && config.responseFormat !== 'json';
  const tries = maxRetries + 1;
  return {
    calls: calls * tries,
    cost: cost === null ? null : cost * tries,
    response: response === null || !isText ? null : response * tokensPerToken,
    ...(note && { note }),
  };
}

const getHighestPrice = ({ input, output }: { input: number; output: number }, limits: ModelLimits) =>
  getWorstCaseCost(
    { inputTokens: input, maxTokens: output },
    { ...limits, contextTokens: undefined, outputTokens: output },
  )?.toNumber();

function boundInputTokens(
  { config, request, added }: Bounding,
  { contextTokens }: ModelLimits,
): number | undefined {
  const bytes = request && !config.tools ? countBytes(request) : undefined;
  if (bytes === undefined || added === null) return contextTokens;
  return Math.min(bytes + added, contextTokens ?? Infinity);
}

async function listAttempts(models: ForecastModels, config: Bounding['config']) {
  const first = { model: config.model, maxTokens: config.maxTokens };
  const policy = stepErrorHandling({ config });
  if (policy?.onError !== 'fallback') return [first];
  const others = (policy.fallbacks ?? []).filter((fallback) => fallback.type !== 'message');
  const more = others.map((fallback) => fallbackAttempts(fallback, () => models.alternatives(config.model)));
  return [first, ...(await Promise.all(more)).flat().map((overrides) => ({ ...first, ...overrides }))];
}

function explainUnlimited(model: string, { prices }: ModelLimits, output: number | undefined): string {
  if (!prices) return `The price of the model ${model} is not known`;
  if (output === undefined) return `Nothing limits the responses of the model ${model}; set maxTokens`;
  return `Nothing limits the input of the model ${model}: what it reads is known only in the run`;
}

/** What is known of the models of a flow, read once. */
export interface ForecastModels {
  limits: (name: string) => Promise<ModelLimits>;
  /** `<provider>/<modelId>` */
  modelUsed: (name: string) => Promise<string>;
  alternatives: (name: string) => Promise<string[]>;
}

export function openModels(port: Pick<ModelPort, 'limits' | 'identity' | 'alternatives'>): ForecastModels {
  return {
    limits: loadEachOnce(port.limits),
    alternatives: loadEachOnce(port.alternatives),
    modelUsed: loadEachOnce(async (name) => {
      const { provider, modelId } = (await port.identity(name)) as { provider?: string; modelId?: string };
      return `${provider}/${modelId}`;
    }),
  };
}
