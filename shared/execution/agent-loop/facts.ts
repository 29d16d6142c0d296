/**
 * What happened in a run of an agent, as it is stored in its log: one type per kind of fact.
 * A fact is recorded before the run goes on, and the state of the run follows from the facts alone (`state.ts`). They
 * are stored as JSON: members may be added, and none renamed or given another meaning.
 */
import Big from 'big.js';
import type {
  AssistantMessage,
  ModelMessage,
  ModelResponse,
  ModelUsage,
  ToolResultPart,
} from '../../adapters/ports/model-port.ts';
import { formatCost, parseCost, type Spending } from '../../adapters/ports/spending.ts';
import type { StepErrorCode } from '../../core/errors/step-error.ts';
import type { Note } from '../../core/note.ts';
import type { Warning } from '../../core/warnings.ts';
import type { Attempt } from '../../domain/flows/steps/attempt.ts';
import type { RunUse } from '../../domain/runs/run-use.ts';
import type { Artifact } from '../tool-support/tool-runner.ts';

/** Recorded before the run goes on. The state of a run follows from its facts alone (`state.ts`). They are JSON. */
export type Fact =
  | TurnFact
  | ResultFact
  | ContextFact
  | NoteFact
  | CompactionFact
  | PauseFact
  | DecisionFact
  | ContinueFact
  | StateFact
  | EndFact;

/** What was spent since the fact before. Parts and savings of nothing are missing. */
export interface FactSpending {
  inputTokens: number;
  outputTokens: number;
  cachedInputTokens?: number;
  reasoningTokens?: number;
  /** USD as decimal text; null if a model call has no known price. */
  cost: string | null;
  cacheSavings?: string;
  /** The tool calls that code made, by the id of the tool. */
  codeCalls?: Readonly<Record<string, number>>;
  /** What went otherwise than asked in the meantime; missing if nothing did. */
  warnings?: readonly Warning[];
}

export const nothingSpent: FactSpending = { inputTokens: 0, outputTokens: 0, cost: '0' };

export const toFactSpending = (spending: Spending): FactSpending => ({
  inputTokens: spending.inputTokens,
  outputTokens: spending.outputTokens,
  ...(spending.cachedInputTokens > 0 && { cachedInputTokens: spending.cachedInputTokens }),
  ...(spending.reasoningTokens > 0 && { reasoningTokens: spending.reasoningTokens }),
  ...(!spending.cacheSavings.eq(0) && { cacheSavings: spending.cacheSavings.toFixed() }),
  cost: formatCost(spending),
});

export const parseFactSpending = (spent: FactSpending): Spending => ({
  inputTokens: spent.inputTokens,
  outputTokens: spent.outputTokens,
  cachedInputTokens: spent.cachedInputTokens ?? 0,
  reasoningTokens: spent.reasoningTokens ?? 0,
  ...parseCost(spent.cost),
  cacheSavings: new Big(spent.cacheSavings ?? 0),
});

interface Timed {
  /** When it happened. ISO. */
  at: string;
}

export interface TurnFact extends Timed {
  type: 'turn';
  /** From 1. */
  turn: number;
  turnId: string;
  message: AssistantMessage;
  text: string;
  reasoning: string;
  sources: ModelResponse['sources'];
  stopReason: ModelResponse['stopReason'] | 'max_tool_calls';
  modelUsed: string;
  usage: ModelUsage | null;
  calls: readonly RequestedCall[];
  fallback?: string;
  /** To get the response, if there was more than one. */
  attempts?: Attempt[];
  durationMs: number;
  /** The calls of the model, which count from the start of the run; if there was one only, when it said the first thing. */
  notes?: readonly Note[];
  firstMs?: number;
  spent: FactSpending;
}

export interface RequestedCall {
  /** Unique, although a model may repeat its ids. */
  id: string;
  /** The id that the model gave it. The result that is sent back carries it. */
  modelId: string;
  name: string;
  /** Null for a tool that does not exist. */
  toolId: string | null;
  toolType: string;
  description?: string;
  /** Undefined if the model wrote no JSON. */
  input?: unknown;
  /** What it wrote instead. */
  text?: string;
  /** Why it does not run. */
  refused?: string;
}

export interface ResultFact extends Timed {
  type: 'result';
  callId: string;
  toolName: string;
  /** Of a failed call: the reason. */
  output: unknown;
  failed: boolean;
  artifact?: Artifact;
  durationMs: number;
  /** What happened in the call. */
  notes?: readonly Note[];
  spent: FactSpending;
}

/** What the agent is told beside its system prompt. */
interface ContextFact extends Timed {
  type: 'context';
  /** After the system prompt: its memory, what is not available. */
  text: string;
  /** Before the last message of the user, since it differs in every run: the time. In older logs, `text` has it. */
  question?: string;
  notes?: readonly Note[];
  spent: FactSpending;
}

/** A message that the run itself adds, such as a reminder. The model receives it as the user's. */
export interface NoteFact extends Timed {
  type: 'note';
  /** `caller`: a message that the caller sent with the output of a tool. */
  reason: 'reflection' | 'required-tool' | 'correction' | 'caller';
  text: string;
}

interface CompactionFact extends Timed {
  type: 'compaction';
  /** All messages from here on; a number is the place of a message that stays. */
  messages: readonly (ModelMessage | number)[];
  summary: string;
  notes?: readonly Note[];
  spent: FactSpending;
}

/** The run waits for these calls. Every other call of the turn has its result. */
export interface PauseFact extends Timed {
  type: 'pause';
  waits: readonly LoopWait[];
}

export interface LoopWait {
  /** `approval`: somebody must allow the call. `output`: the caller of the run must execute the tool. `inside`: what the call runs waits. */
  kind: 'approval' | 'output' | 'inside';
  /** Missing in older logs. ISO. */
  since?: string;
  /** Of `inside`: the run that waits; `approvalId` is that of the call in it. */
  runId?: string;
  callId: string;
  approvalId?: string;
  toolName: string;
  parameters: unknown;
  /** When the wait ends without an answer. ISO. */
  until: string;
}

/** What whoever follows the run can do about a wait: nothing, if it is that of a flow inside, which its own run lists. */
export const toAwaitReason = ({
  kind,
  approvalId,
}: Pick<LoopWait, 'kind' | 'approvalId'>): 'local_tool' | 'approval' | 'wait' =>
  kind === 'output' ? 'local_tool' : approvalId === undefined ? 'wait' : 'approval';

/** Somebody has allowed or denied a call, or nobody did in time. */
export interface DecisionFact extends Timed {
  type: 'decision';
  approvalId: string;
  callId: string;
  decision: 'approved' | 'denied' | 'timeout';
  reason?: string;
  /** The user who decided; null after a timeout. */
  by: string | null;
}

/** The paused run goes on. From here on, approved calls may have begun. */
interface ContinueFact extends Timed {
  type: 'continue';
}

/**
 * What all facts before it come to. It stands in for them where they are not read: those of a long run, and those of the run
 * that this one repeats.
 */
export interface StateFact extends Timed {
  type: 'state';
  /** The run whose facts these are, if it is another one, and what they cost there. USD as decimal text, null if it is unknown. */
  reusedFrom?: { runId: string; savedCost: string | null };
  /** What the first messages got beside them. */
  context?: { text: string; question?: string };
  /** A number is the place of one of the first messages, with their context. */
  messages: readonly (ModelMessage | number)[];
  measuredMessages: number;
  turns: number;
  lastTurn?: TurnFact;
  open: readonly RequestedCall[];
  results: readonly (readonly [string, ToolResultPart])[];
  decisions: readonly (readonly [string, DecisionFact])[];
  callCount: number;
  callsOf: readonly (readonly [string, number])[];
  isCorrected: boolean;
  isReminded: boolean;
  hasContext: boolean;
  /** Of all facts before; nothing of those of another run. */
  spent: FactSpending;
  /** How many model calls in it have no known price. */
  unpriced?: number;
  /** The model calls that were counted before, which the log has beside the facts. */
  use?: RunUse;
}

export type StopReason = 'end_turn' | 'max_turns' | 'max_cost' | 'timeout' | 'error' | 'cancelled';

export interface EndFact extends Timed {
  type: 'end';
  stopReason: StopReason;
  output: unknown;
  error: string | null;
  errorCode?: StepErrorCode;
  attempts?: Attempt[];
  /** Of a turn that failed. */
  notes?: readonly Note[];
  /** Since the last fact: on a response that was of no use, for example. */
  spent?: FactSpending;
}

export type FactOf<Type extends Fact['type']> = Extract<Fact, { type: Type }>;
