/**
 * Opens the loop of an agent for one process: its model, tools, limits, and what is done before each turn.
 * `openLoop` opens the tools first (a missing server becomes a warning, a broken tool fails the run), then wires the
 * meter that counts model calls to the journal's writes. It runs again in every process that continues the run, with the
 * same config.
 * Before each turn, in this order: the context once (memory, time, missing tools), a reflection if it is due, a
 * compaction if the conversation is too long, and the check that the budget pays for the turn. The facts of these are
 * recorded before the model is asked.
 * An external agent that answers by itself takes the place of the model; what it costs, only its server knows.
 * Called by `execute-agent-run.ts`; tools are chosen in `agent-tools.ts`.
 */
import { tokensOfTools } from '../../adapters/models/usage.ts';
import type { A2aPart } from '../../adapters/ports/a2a-port.ts';
import type { ModelLimits, ModelMessage, ModelPort, ModelTool } from '../../adapters/ports/model-port.ts';
import type { Ports } from '../../adapters/ports/ports.ts';
import { StepError } from '../../core/errors/step-error.ts';
import { offsetText, toLocal } from '../../core/time.ts';
import type { AgentCapability } from '../../domain/agents/config/agent.ts';
import type { AgentConfig } from '../../domain/agents/config/agent-config.ts';
import type { ExternalConfig } from '../../domain/agents/config/external-config.ts';
import { toTimeoutMs } from '../../domain/flows/steps/mcp-server.ts';
import { toModelReasoning } from '../../domain/flows/steps/reasoning.ts';
import type { ModelCall } from '../../domain/model-usage/model-calls.ts';
import type { Scope } from '../../platform/data/scope.ts';
import {
  compactConversation,
  estimateTokens,
  type MeasuredContext,
  needsCompaction,
  toTranscript,
} from '../agent-loop/compaction.ts';
import { type Fact, type FactOf, type FactSpending, toFactSpending } from '../agent-loop/facts.ts';
import { answerChecker } from '../agent-loop/json-answer.ts';
import type { BeforeTurn, Loop } from '../agent-loop/loop.ts';
import { createUnpricedError, type RunBudget } from '../agent-loop/run-budget.ts';
import { apply, type RunState } from '../agent-loop/state.ts';
import { priceCall } from '../model-calls/call-cost.ts';
import { openMeter } from '../model-calls/pipeline.ts';
import { loadSummary } from '../tool-support/memory.ts';
import { delegate } from '../tools/agent-skills.ts';
import type { RunnableTool } from '../tools/call-tool.ts';
import type { RunInput } from './agent-input.ts';
import {
  addCapabilityTools,
  type CodeCalls,
  createApprovalCheck,
  type LoopToolContext,
  toLoopLimits,
} from './agent-tools.ts';
import type { ChatHistory } from './chat-history.ts';

/** Without a config an agent responds once (D5). */
export const getTurnsMax = ({ loopConfig }: AgentConfig) => loopConfig?.maxTurns ?? 1;

const dayMs = 86_400_000;
/** How long a caller has to execute a tool. Then the run fails. */
const outputWaitMs = 7 * dayMs;

export interface OpenedLoop {
  loop: Loop;
  /** The model calls since the last time it was asked. */
  takeCalls: () => ModelCall[];
}

interface LoopOptions {
  ports: Ports;
  budget: RunBudget;
  codeCalls: CodeCalls;
  /** Of an external agent that answers by itself, with the value of its credentials. */
  externalConfig: ExternalConfig | null;
  openTools: (context: LoopToolContext) => Promise<{ tools: RunnableTool[]; warnings: string[] }>;
  isStoredInside: Loop['isStoredInside'];
  chatHistory?: ChatHistory | undefined;
  streamed: boolean;
  signal: AbortSignal;
}

/** Opens the loop of an agent. @throws StepError if a tool cannot be opened. */
export async function openLoop(
  { newId, now }: Pick<Scope, 'newId' | 'now'>,
  { config, capabilities }: { config: AgentConfig; capabilities: readonly AgentCapability[] },
  input: RunInput,
  { ports, codeCalls, externalConfig, openTools, isStoredInside, ...options }: LoopOptions,
): Promise<OpenedLoop> {
  const { budget, chatHistory, streamed, signal } = options;
  const meter = openMeter(ports);
  let counted: ModelCall[] = [];
  const request = toRequest(config, input, streamed);
  let conversation: readonly ModelMessage[] = [];
  const needsApproval = createApprovalCheck(addCapabilityTools(config.tools?.approval, capabilities));
  const { limits, requiredTools } = toLoopLimits(config.tools ?? {}, capabilities);
  const { tools, warnings } = await openTools({
    ports: meter.ports,
    model: request.model,
    needsApproval,
    limits,
    codeCalls,
    newId,
    conversation: () => conversation,
  });
  for (const message of warnings) meter.ports.warn({ code: 'TOOLS_MISSING', message });
  const drainSpent = () => {
    const { calls, spending, warnings: said } = meter.drain();
    counted.push(...calls);
    return {
      ...toFactSpending(spending),
      ...(said.length > 0 && { warnings: said }),
      ...codeCalls.drain(),
    };
  };
  const { model: modelName } = request;
  const model = externalConfig ? createExternalModel(ports, externalConfig) : meter.ports.model;
  const context = () =>
    loadAgentContext({ config, input, modelName, ports: meter.ports, warnings, now: now(), signal });
  const turn = {
    config,
    model,
    modelName,
    tools,
    context,
    chatHistory,
    spent: drainSpent,
    budget,
    now,
    signal,
  };
  const beforeTurn = createBeforeTurn({ ...turn, isExternal: externalConfig !== null });
  return {
    loop: {
      model,
      tools,
      newId,
      now,
      signal,
      request,
      isStoredInside,
      spent: drainSpent,
      warn: meter.ports.warn,
      beforeTurn: async (state) => {
        conversation = state.messages;
        return beforeTurn(state);
      },
      limits,
      requiredTools,
      needsApproval,
      checkAnswer: input.responseSchema && answerChecker(ports, input.responseSchema, signal),
      ...toLoopRules(config),
    },
    takeCalls() {
      const calls = counted;
      counted = [];
      return calls;
    },
  };
}

const toLoopRules = (config: AgentConfig) => ({
  toolChoice: config.tools?.toolCallStrategy,
  turnsMax: getTurnsMax(config),
  errorHandling: config.errorHandling,
  mayEndEmpty: true,
  waitMs: { approval: toTimeoutMs(config.tools?.approval?.timeout ?? dayMs), output: outputWaitMs },
});

function toRequest(
  config: AgentConfig,
  { modelOverride, responseSchema: schema }: RunInput,
  streamed: boolean,
): Loop['request'] {
  const { model = 'default', promptCaching } = config;
  const { temperature, topP, topK, frequencyPenalty, presencePenalty, seed } = config;
  return {
    model: modelOverride ?? model,
    reasoning: toModelReasoning(config.reasoning),
    ...(schema && { format: { type: 'json', schema } }),
    settings: { temperature, topP, topK, frequencyPenalty, presencePenalty, seed },
    promptCaching,
    streamed,
  };
}

interface Context {
  config: AgentConfig;
  input: RunInput;
  modelName: string;
  ports: Ports;
  /** About tools that are not available. */
  warnings: readonly string[];
  now: Date;
  signal: AbortSignal;
}

/** What an agent is told before its first turn, beside its system prompt. Empty if there is nothing. @throws StepError */
async function loadAgentContext(context: Context): Promise<Pick<FactOf<'context'>, 'text' | 'question'>> {
  const { config, input, warnings, now } = context;
  const { temporal = {} } = config;
  const previous = input.previousMessageAt === undefined ? undefined : new Date(input.previousMessageAt);
  const question = joinTexts([toNowText(temporal, now), toElapsedText(temporal, previous, now)]);
  const text = joinTexts([await loadMemoryText(context), ...warnings]);
  return { text, ...(question && { question }) };
}

const joinTexts = (texts: readonly (string | undefined)[]) => texts.filter(Boolean).join('\n\n');

async function loadMemoryText({ config: { memory }, input, modelName, ports, signal }: Context) {
  if (!memory?.enabled || memory.injectSummary === false) return undefined;
  return loadSummary({ ports, profile: input.profile, model: modelName, signal });
}

interface TurnContext {
  config: AgentConfig;
  model: ModelPort;
  modelName: string;
  tools: readonly ModelTool[];
  /** What the agent is told before its first turn, beside its system prompt. */
  context: () => Promise<Pick<FactOf<'context'>, 'text' | 'question'>>;
  /** Of a run that answers a chat. */
  chatHistory?: ChatHistory | undefined;
  spent: () => FactSpending;
  budget: RunBudget;
  /** Whether an external agent stands in the place of the model. What it costs, only its server knows. */
  isExternal: boolean;
  now: () => Date;
  signal: AbortSignal;
}

const replaceStepError =
  <T>(instead: T) =>
  (error: unknown): T => {
    if (error instanceof StepError) return instead;
    throw error;
  };

/** What a run does before each turn: it keeps within the context of its model and its budget, and reflects. */
function createBeforeTurn(turn: TurnContext): (state: RunState) => Promise<BeforeTurn> {
  const { model, modelName } = turn;
  let limits: Promise<ModelLimits> | undefined;
  return async (state: RunState): Promise<BeforeTurn> => {
    // A model that cannot be resolved fails when it is asked, where the error handling applies.
    limits ??= model.limits(modelName).catch(replaceStepError({}));
    const modelLimits = await limits;
    const facts: Fact[] = [];
    let after = state;
    const add = (fact: Fact | undefined) => {
      if (!fact) return;
      facts.push(fact);
      after = apply(after, fact);
    };
    const isFirst = state.turns === 0 && !state.hasContext;
    if (isFirst) add(await createContextFact(turn));
    add(createReflectionFact(turn, after));
    add(await compactIfNeeded(turn, after, modelLimits, isFirst ? turn.chatHistory : undefined));
    return { facts, ...(!turn.isExternal && checkBudget(turn, after, modelLimits)) };
  };
}

async function createContextFact({
  context,
  isExternal,
  spent,
  now,
}: TurnContext): Promise<Fact | undefined> {
  const { text, question } = await context();
  // An external agent gets the message as the user wrote it.
  const content = { text, ...(question && !isExternal && { question }) };
  if (text === '' && !content.question) return undefined;
  return { type: 'context', ...content, spent: spent(), at: now().toISOString() };
}

function createReflectionFact({ config, now }: TurnContext, state: RunState): Fact | undefined {
  const text = config.loopConfig && getReflection(config.loopConfig, state);
  return text === undefined
    ? undefined
    : { type: 'note', reason: 'reflection', text, at: now().toISOString() };
}

const estimateSize = ({ tools }: TurnContext, { messages, lastTurn, measuredMessages }: RunState): number => {
  const usage = lastTurn?.usage;
  const measured: MeasuredContext | undefined =
    usage && measuredMessages > 0 ? { messages: measuredMessages, usage } : undefined;
  return estimateTokens(messages, { tools, measured });
};

async function compactIfNeeded(
  turn: TurnContext,
  state: RunState,
  limits: ModelLimits,
  history: ChatHistory | undefined,
): Promise<FactOf<'compaction'> | undefined> {
  const { messages } = state;
  if (!history?.isLong(messages) && !needsCompaction(estimateSize(turn, state), limits)) return undefined;
  const { model, modelName, tools, signal, spent, now } = turn;
  const toolTokens = tokensOfTools(tools);
  const { recentMessages } = history ?? {};
  const asked = { messages, model: modelName, limits, toolTokens, recentMessages, signal };
  const compacted = await compactConversation(model, asked);
  if (!compacted) return undefined;
  await history?.keep(compacted);
  const places = new Map(messages.map((message, place) => [message, place]));
  const kept = compacted.messages.map((message) => places.get(message) ?? message);
  const { summary } = compacted;
  return { type: 'compaction', messages: kept, summary, spent: spent(), at: now().toISOString() };
}

/** Stops the run if the budget does not pay for another turn. @throws StepError */
function checkBudget(turn: TurnContext, state: RunState, limits: ModelLimits): BeforeTurn {
  if (turn.budget.getRemaining() === undefined) return {};
  const inputTokens = estimateSize(turn, state);
  const call = priceCall({ inputTokens }, limits);
  if (!call || state.totals.unpriced > 0) throw createUnpricedError(turn.modelName);
  return turn.budget.mayPay(call.cost) ? { inputTokens } : { stop: 'max_cost' };
}

/** The name of an external agent where a run names its model. */
const modelUsed = 'a2a/external';

/** The agent's answer is the response. Only its server knows the cost. @param config With the credentials' value. */
const createExternalModel = (ports: Ports, config: ExternalConfig): ModelPort => ({
  ...ports.model,
  limits: async () => ({}),
  alternatives: async () => [],
  async *stream({ messages, signal }) {
    const source = { modelUsed, keySource: 'custom' as const };
    for await (const event of delegate(ports, config, { parts: toA2aParts(messages), signal })) {
      if (event.type === 'text-delta') yield { type: 'text-delta', text: event.text };
      if (event.type !== 'end') continue;
      const { text } = event;
      return yield {
        type: 'finish',
        ...source,
        text,
        message: { role: 'assistant', content: text },
        stopReason: 'stop',
        usage: { inputTokens: 0, outputTokens: 0 },
        cost: '0',
      };
    }
    throw new StepError('The external agent ended without an answer');
  },
});

/** The last message of the user, after what was said before. */
function toA2aParts(messages: readonly ModelMessage[]): A2aPart[] {
  const last = messages.findLastIndex(({ role }) => role === 'user');
  const earlier = messages.slice(0, last).filter(({ role }) => role !== 'system');
  const said = earlier.length > 0 ? `The conversation so far:\n${toTranscript(earlier).join('\n')}` : '';
  return [...(said ? [{ text: said }] : []), ...toContentParts(messages[last])];
}

function toContentParts(message: ModelMessage | undefined): A2aPart[] {
  if (message?.role !== 'user') return [];
  const { content } = message;
  if (typeof content === 'string') return [{ text: content }];
  return content.map((part): A2aPart => {
    if (part.type === 'text') return { text: part.text };
    const { data, mediaType, filename = 'file' } = part;
    return { bytes: Buffer.from(data).toString('base64'), mediaType, filename };
  });
}

type LoopConfig = NonNullable<AgentConfig['loopConfig']>;

const intervalDefault = 5;

/** Due after every `reflectionInterval` turns of a run that its tools keep going. Follows from the state alone. */
export function getReflection(
  { enableReflection, reflectionInterval = intervalDefault, maxTurns }: LoopConfig,
  { turns, isReminded, lastTurn }: Pick<RunState, 'turns' | 'isReminded' | 'lastTurn'>,
): string | undefined {
  if (!enableReflection || isReminded || turns === 0 || turns % reflectionInterval !== 0) return undefined;
  if (!lastTurn || lastTurn.calls.length === 0) return undefined;
  const left = maxTurns === undefined ? undefined : maxTurns - turns;
  if (left !== undefined && left < 1) return undefined;
  const rest = left === undefined ? '' : ` You have ${left} ${left === 1 ? 'turn' : 'turns'} left.`;
  return `Before you go on, review your progress: what is the task, what have you found out, what is still missing, and does your approach work? Change it if it does not.${rest} Then continue with the task; do not mention this review in your answer.`;
}

type Temporal = NonNullable<AgentConfig['temporal']>;

const thresholdSecondsDefault = 300;

export function toNowText({ groundNow, timezone = 'UTC' }: Temporal, now: Date): string | undefined {
  if (!groundNow) return undefined;
  const parts = new Intl.DateTimeFormat('en-GB', {
    timeZone: timezone,
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  }).formatToParts(now);
  const getPart = (wanted: Intl.DateTimeFormatPartTypes) =>
    parts.find(({ type }) => type === wanted)?.value ?? '';
  const date = `${getPart('weekday')}, ${getPart('day')} ${getPart('month')} ${getPart('year')}`;
  const offset = offsetText(toLocal(now.getTime(), timezone), now.getTime());
  return `The current date and time is ${date}, ${getPart('hour')}:${getPart('minute')} (${timezone}, UTC${offset}).`;
}

export function toElapsedText(
  { injectElapsed, elapsedThresholdSeconds = thresholdSecondsDefault }: Temporal,
  previous: Date | undefined,
  now: Date,
): string | undefined {
  if (!injectElapsed || !previous) return undefined;
  const seconds = Math.floor((now.getTime() - previous.getTime()) / 1_000);
  // A clock of another machine may be ahead.
  if (seconds < 1 || seconds < elapsedThresholdSeconds) return undefined;
  return `The previous message of this conversation was ${toWords(seconds)} ago.`;
}

const units = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const;

/** The two largest units. */
function toWords(seconds: number): string {
  const first = units.findIndex(([, size]) => seconds >= size);
  let left = seconds;
  const words = units.slice(first, first + 2).flatMap(([name, size]) => {
    const count = Math.floor(left / size);
    left %= size;
    return count > 0 ? `${count} ${name}${count > 1 ? 's' : ''}` : [];
  });
  return words.join(' and ');
}
