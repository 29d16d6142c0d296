/**
 * The state of an agent's run as a pure function of its facts: `apply` for one, `replay` for a log.
 * Everything that decides how a run goes on is here, so a process that takes over a run needs its first messages and its
 * log, and nothing else. A new kind of fact gets a case here, and an event in `progress.ts` if readers see it.
 * Results of calls go to the model together, in the order of the calls, when the last one is there. Facts of older
 * releases must yield the same state for ever.
 */
import type { ModelMessage, ToolResultPart } from '../../adapters/ports/model-port.ts';
import { addSpending, noSpending, type Spending } from '../../adapters/ports/spending.ts';
import { mergeWarnings, type Warning } from '../../core/warnings.ts';
import {
  type DecisionFact,
  type EndFact,
  type Fact,
  type FactSpending,
  type LoopWait,
  nothingSpent,
  parseFactSpending,
  type RequestedCall,
  type StateFact,
  type TurnFact,
  toFactSpending,
} from './facts.ts';

/** Everything that decides how a run goes on. It follows from the first messages and the facts. */
export interface RunState {
  /** The messages that the run began with, with what they got beside them. */
  first: readonly ModelMessage[];
  context: StateFact['context'];
  /** What the model receives next. While calls are open, without their results. */
  messages: readonly ModelMessage[];
  /** How many of the messages the reported usage of the last turn covers: those that were sent, and its response. */
  measuredMessages: number;
  turns: number;
  lastTurn: TurnFact | undefined;
  /** The calls of the last turn, until all of them have results. */
  open: readonly RequestedCall[];
  results: ReadonlyMap<string, ToolResultPart>;
  decisions: ReadonlyMap<string, DecisionFact>;
  waits: readonly LoopWait[];
  /** Calls so far, with the refused ones. */
  callCount: number;
  /** Those that were not refused, by the id of the tool. */
  callsOf: ReadonlyMap<string, number>;
  isCorrected: boolean;
  totals: AgentTotals;
  /** Whether the agent was told what it needs to know beside its system prompt. */
  hasContext: boolean;
  /** Whether the last message is a note of the run, which the model has not answered yet. */
  isReminded: boolean;
  end: EndFact | undefined;
  /** The run from which turns were taken over, and what they had cost. */
  reusedFrom: StateFact['reusedFrom'];
}

interface AgentTotals extends Spending {
  /** The tool calls that code made, by the id of the tool. */
  codeCalls: Readonly<Record<string, number>>;
  warnings: readonly Warning[];
}

export const createInitialState = (messages: readonly ModelMessage[]): RunState => ({
  first: messages,
  context: undefined,
  messages,
  measuredMessages: 0,
  turns: 0,
  lastTurn: undefined,
  open: [],
  results: new Map(),
  decisions: new Map(),
  waits: [],
  callCount: 0,
  callsOf: new Map(),
  totals: { ...noSpending, codeCalls: {}, warnings: [] },
  hasContext: false,
  isCorrected: false,
  isReminded: false,
  end: undefined,
  reusedFrom: undefined,
});

export const replay = (messages: readonly ModelMessage[], facts: readonly Fact[]): RunState =>
  facts.reduce(apply, createInitialState(messages));

/** The end of a run in this state. Its output is the last response. */
export const endFact = (
  { lastTurn }: RunState,
  { stopReason, error }: Pick<EndFact, 'stopReason' | 'error'>,
  at: Date,
): EndFact => ({
  type: 'end',
  stopReason,
  error,
  output: lastTurn?.text ?? null,
  at: at.toISOString(),
});

/** The state after a fact. Pure. */
export function apply(state: RunState, fact: Fact): RunState {
  switch (fact.type) {
    case 'turn':
      return applyTurn(state, fact);
    case 'result': {
      const { callId, output, failed, spent } = fact;
      const call = state.open.find(({ id }) => id === callId);
      if (!call) return state;
      const { modelId: id, name } = call;
      const part: ToolResultPart = { type: 'tool-result', id, name, output, ...(failed && { failed }) };
      const results = new Map(state.results).set(callId, part);
      return completeCalls({ ...state, results, totals: addToTotals(state.totals, spent) });
    }
    case 'context':
      return {
        ...addContext(state, fact),
        hasContext: true,
        totals: addToTotals(state.totals, fact.spent),
      };
    case 'note': {
      const messages = [...state.messages, { role: 'user' as const, content: fact.text }];
      return {
        ...state,
        messages,
        isReminded: true,
        isCorrected: state.isCorrected || fact.reason === 'correction',
      };
    }
    case 'compaction':
      return {
        ...state,
        messages: fact.messages.flatMap((each) =>
          typeof each === 'number' ? (state.messages[each] ?? []) : each,
        ),
        measuredMessages: 0,
        totals: addToTotals(state.totals, fact.spent),
      };
    case 'pause':
      return { ...state, waits: fact.waits };
    case 'decision': {
      const waits = state.waits.filter(({ approvalId }) => approvalId !== fact.approvalId);
      return { ...state, waits, decisions: new Map(state.decisions).set(fact.callId, fact) };
    }
    case 'continue':
      // What runs inside goes on with its call.
      return { ...state, waits: state.waits.filter(({ kind }) => kind !== 'inside') };
    case 'state':
      return restoreState(state, fact);
    case 'end':
      return {
        ...state,
        waits: [],
        end: fact,
        totals: addToTotals(state.totals, fact.spent ?? nothingSpent),
      };
  }
}

const hasBegun = ({ turns, hasContext, isReminded }: RunState) => turns > 0 || hasContext || isReminded;

/** Nothing changes where the facts before it were applied. */
function restoreState(state: RunState, fact: StateFact): RunState {
  if (hasBegun(state)) return state;
  const { context, messages, results, decisions, callsOf, lastTurn, spent, unpriced = 0 } = fact;
  const begun = context ? addContext(state, context) : state;
  const totals = addToTotals(state.totals, { ...spent, cost: spent.cost ?? '0' });
  return {
    ...begun,
    messages: messages.flatMap((each) => (typeof each === 'number' ? (begun.first[each] ?? []) : each)),
    measuredMessages: fact.measuredMessages,
    turns: fact.turns,
    lastTurn,
    open: fact.open,
    results: new Map(results),
    decisions: new Map(decisions),
    callCount: fact.callCount,
    callsOf: new Map(callsOf),
    isCorrected: fact.isCorrected,
    isReminded: fact.isReminded,
    hasContext: fact.hasContext,
    totals: { ...totals, unpriced: totals.unpriced + unpriced },
    reusedFrom: fact.reusedFrom,
  };
}

/** A fact that yields this state. Give it the state with the messages of the run, or with some that stand in for the first. */
export function toStateFact(state: RunState, at: Date): StateFact {
  const { first, context, messages, measuredMessages, turns, lastTurn, open, callCount, totals } = state;
  const { codeCalls, warnings, unpriced, ...spending } = totals;
  const places = new Map(first.map((message, place) => [message, place]));
  return {
    type: 'state',
    ...(state.reusedFrom && { reusedFrom: state.reusedFrom }),
    ...(context && { context }),
    messages: messages.map((message) => places.get(message) ?? message),
    measuredMessages,
    turns,
    ...(lastTurn && { lastTurn }),
    open,
    results: [...state.results],
    decisions: [...state.decisions],
    callCount,
    callsOf: [...state.callsOf],
    isCorrected: state.isCorrected,
    isReminded: state.isReminded,
    hasContext: state.hasContext,
    spent: {
      ...toFactSpending({ ...spending, unpriced: 0 }),
      ...(Object.keys(codeCalls).length > 0 && { codeCalls }),
      ...(warnings.length > 0 && { warnings }),
    },
    ...(unpriced > 0 && { unpriced }),
    at: at.toISOString(),
  };
}

function addContext(state: RunState, { text, question }: NonNullable<StateFact['context']>): RunState {
  const messages = insertQuestion(insertContext(state.messages, text), question);
  return { ...state, messages, first: messages, context: { text, ...(question && { question }) } };
}

function applyTurn(state: RunState, fact: TurnFact): RunState {
  const { message, calls, spent, turn } = fact;
  const callsOf = new Map(state.callsOf);
  for (const { toolId, refused } of calls) {
    if (toolId && refused === undefined) callsOf.set(toolId, (callsOf.get(toolId) ?? 0) + 1);
  }
  // Providers reject a message without content.
  const messages = message.content.length > 0 ? [...state.messages, message] : state.messages;
  return {
    ...state,
    messages,
    measuredMessages: messages.length,
    turns: turn,
    lastTurn: fact,
    isReminded: false,
    callCount: state.callCount + calls.length,
    callsOf,
    open: calls,
    results: new Map(),
    totals: addToTotals(state.totals, spent),
  };
}

/** When each call has its result, the model receives them in the order of its calls. */
function completeCalls(state: RunState): RunState {
  const { open, results, messages, waits } = state;
  if (results.size < open.length) {
    return { ...state, waits: waits.filter(({ callId }) => !results.has(callId)) };
  }
  const parts = open.flatMap(({ id }) => results.get(id) ?? []);
  return { ...state, messages: [...messages, { role: 'tool', content: parts }], open: [], waits: [] };
}

/** The text follows the system prompt. */
function insertContext(messages: readonly ModelMessage[], text: string): readonly ModelMessage[] {
  if (text === '') return messages;
  const [first, ...others] = messages;
  if (first?.role !== 'system') return [{ role: 'system', content: text }, ...messages];
  return [{ role: 'system', content: `${first.content}\n\n${text}` }, ...others];
}

/** The text begins the last message of the user, so that providers find what is before in their caches. */
function insertQuestion(
  messages: readonly ModelMessage[],
  text: string | undefined,
): readonly ModelMessage[] {
  const place = messages.findLastIndex(({ role }) => role === 'user');
  const last = messages[place];
  if (!text || last?.role !== 'user') return insertContext(messages, text ?? '');
  const { content } = last;
  const extended = typeof content === 'string' ? `${text}\n\n${content}` : [toTextPart(text), ...content];
  return messages.with(place, { role: 'user', content: extended });
}

const toTextPart = (text: string) => ({ type: 'text' as const, text });

const addToTotals = (totals: AgentTotals, spent: FactSpending): AgentTotals => ({
  ...addSpending(totals, parseFactSpending(spent)),
  codeCalls: spent.codeCalls ? sumCalls(totals.codeCalls, spent.codeCalls) : totals.codeCalls,
  warnings: mergeWarnings(totals.warnings, spent.warnings ?? []),
});

type CodeCalls = AgentTotals['codeCalls'];

const sumCalls = (calls: CodeCalls, more: CodeCalls): CodeCalls => ({
  ...calls,
  ...Object.fromEntries(Object.entries(more).map(([id, count]) => [id, (calls[id] ?? 0) + count])),
});
