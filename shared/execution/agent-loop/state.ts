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
  type TurnFact,
} from './facts.ts';

/** Everything that decides how a run goes on. It follows from the first messages and the facts. */
export interface RunState {
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
}

interface AgentTotals extends Spending {
  /** The tool calls that code made, by the id of the tool. */
  codeCalls: Readonly<Record<string, number>>;
  warnings: readonly Warning[];
}

export const createInitialState = (messages: readonly ModelMessage[]): RunState => ({
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
        ...state,
        messages: insertQuestion(insertContext(state.messages, fact.text), fact.question),
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
      return state;
    case 'end':
      return {
        ...state,
        waits: [],
        end: fact,
        totals: addToTotals(state.totals, fact.spent ?? nothingSpent),
      };
  }
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
