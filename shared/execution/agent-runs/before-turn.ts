import { tokensOfTools } from '../../adapters/models/token-estimate.ts';
import type { ModelLimits, ModelPort, ModelTool } from '../../adapters/ports/model-port.ts';
import { StepError } from '../../core/errors/step-error.ts';
import type { AgentConfig } from '../../domain/agents/config/agent-config.ts';
import {
  compactConversation,
  estimateTokens,
  type MeasuredContext,
  needsCompaction,
} from '../agent-loop/compaction.ts';
import type { Fact, FactOf } from '../agent-loop/facts.ts';
import type { BeforeTurn } from '../agent-loop/loop.ts';
import { reflectionBefore } from '../agent-loop/reflection.ts';
import { type RunBudget, responseTokensFor, unpriced } from '../agent-loop/run-budget.ts';
import { apply, type RunState } from '../agent-loop/state.ts';
import type { Spent } from '../model-costs/call-cost.ts';
import type { ChatHistory } from './chat-history.ts';

export interface TurnWorld {
  config: AgentConfig;
  model: ModelPort;
  modelName: string;
  tools: readonly ModelTool[];
  /** What the agent is told before its first turn, beside its system prompt. */
  context: () => Promise<Pick<FactOf<'context'>, 'text' | 'question'>>;
  /** Of a run that answers a chat. */
  chatHistory?: ChatHistory | undefined;
  spent: () => Spent;
  budget: RunBudget;
  /** Whether an external agent stands in the place of the model. What it costs, only its server knows. */
  isExternal: boolean;
  now: () => Date;
  signal: AbortSignal;
}

const ifStepError =
  <T>(instead: T) =>
  (error: unknown): T => {
    if (error instanceof StepError) return instead;
    throw error;
  };

/** What a run does before each turn: it keeps within the context of its model and its budget, and reflects. */
export function createBeforeTurn(world: TurnWorld): (state: RunState) => Promise<BeforeTurn> {
  const { model, modelName } = world;
  let limits: Promise<ModelLimits> | undefined;
  return async (state: RunState): Promise<BeforeTurn> => {
    // A model that cannot be resolved fails when it is asked, where the error handling applies.
    limits ??= model.limits(modelName).catch(ifStepError({}));
    const known = await limits;
    const facts: Fact[] = [];
    let after = state;
    const add = (fact: Fact | undefined) => {
      if (!fact) return;
      facts.push(fact);
      after = apply(after, fact);
    };
    const isFirst = state.turns === 0 && !state.hasContext;
    if (isFirst) add(await contextFact(world));
    add(reflectionFact(world, after));
    add(await compactionFact(world, after, known, isFirst ? world.chatHistory : undefined));
    return { facts, ...(!world.isExternal && checkBudget(world, after, known)) };
  };
}

async function contextFact({ context, isExternal, spent, now }: TurnWorld): Promise<Fact | undefined> {
  const { text, question } = await context();
  // An external agent gets the message as the user wrote it.
  const content = { text, ...(question && !isExternal && { question }) };
  if (text === '' && !content.question) return undefined;
  return { type: 'context', ...content, spent: spent(), at: now().toISOString() };
}

function reflectionFact({ config, now }: TurnWorld, state: RunState): Fact | undefined {
  const text = config.loopConfig && reflectionBefore(config.loopConfig, state);
  return text === undefined
    ? undefined
    : { type: 'note', reason: 'reflection', text, at: now().toISOString() };
}

const sizeOf = ({ tools }: TurnWorld, { messages, lastTurn, measuredMessages }: RunState): number => {
  const usage = lastTurn?.usage;
  const measured: MeasuredContext | undefined =
    usage && measuredMessages > 0 ? { messages: measuredMessages, usage } : undefined;
  return estimateTokens(messages, { tools, measured });
};

async function compactionFact(
  world: TurnWorld,
  state: RunState,
  limits: ModelLimits,
  history: ChatHistory | undefined,
): Promise<FactOf<'compaction'> | undefined> {
  const { messages } = state;
  if (!history?.isLong(messages) && !needsCompaction(sizeOf(world, state), limits)) return undefined;
  const { model, modelName, tools, signal, spent, now } = world;
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
function checkBudget(world: TurnWorld, state: RunState, limits: ModelLimits): BeforeTurn {
  const left = world.budget.left();
  if (left === undefined) return {};
  if (!limits.prices?.length || !state.totals.isPriced) throw unpriced(world.modelName);
  const inputTokens = sizeOf(world, state);
  const isPaid = responseTokensFor(left, { inputTokens }, limits) !== undefined;
  // A call elsewhere may leave something of what it has set aside.
  return isPaid || world.budget.released() ? { inputTokens } : { stop: 'max_cost' };
}
