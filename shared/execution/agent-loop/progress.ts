/**
 * Turns the events of a loop into the events that readers see: each text, reasoning, tool call and turn has a start and
 * an end.
 * A converter follows one run, since an end needs its start: `openProgress` for a loop, `openStarts` for any source that
 * may break off. Whatever is open when a turn fails, is lost or the run ends is ended with a reason.
 * It must yield the same for a live run and for its replayed log (`agent-runs/run-events.ts`), as numbers of events
 * depend on it.
 */
import { noSpending, parseCost, type Spending } from '../../adapters/ports/spending.ts';
import type { Warning } from '../../core/warnings.ts';
import type { Attempt } from '../../domain/flows/steps/attempt.ts';
import type { StepEvent } from '../../domain/flows/steps/step.ts';
import type { Artifact } from '../tool-support/tool-runner.ts';
import { type Fact, type FactOf, parseFactSpending, type ResultFact, type TurnFact } from './facts.ts';
import type { LoopEvent } from './loop.ts';

/** The process of a turn that readers saw the beginning of is gone, and another one takes the turn. */
interface TurnLost {
  type: 'turn-lost';
  at: string;
}

/** Each text and each reasoning begins and ends. @param given `showsEmptyText`: a run without text has one empty text. */
export function openProgress({ showsEmptyText = false } = {}) {
  const started = new Set<string>();
  const starts = openStarts();
  let texts = 0;
  let text: string | undefined;
  let reasoning: string | undefined;

  function* endReasoning(): Generator<LoopProgress> {
    if (reasoning !== undefined) yield { type: 'reasoning_complete', text: reasoning };
    reasoning = undefined;
  }

  function* startText(): Generator<LoopProgress> {
    if (text === undefined) yield { type: 'text_start' };
    text ??= '';
  }

  function* startTool(id: string, name: string, toolType: string): Generator<LoopProgress> {
    if (started.has(id)) return;
    started.add(id);
    yield { type: 'tool_start', toolCallId: id, toolName: name, toolType };
  }

  function* endTurn(turn: TurnFact): Generator<LoopProgress> {
    const made = new Set(turn.calls.map(({ id }) => id));
    const why = { error: 'The call was not made', at: turn.at };
    yield* starts.ends(why, (start) => start.type === 'tool_start' && !made.has(start.toolCallId));
    if (showsEmptyText && turn.calls.length === 0 && texts === 0) yield* startText();
    if (text !== undefined) {
      yield { type: 'text_complete', text: turn.text };
      texts++;
    }
    text = undefined;
    yield toTurnComplete(turn);
  }

  function* toFactProgress(fact: Fact): Generator<LoopProgress> {
    // Those of a step are events of the step.
    for (const { stepId: _step, ...warning } of getWarnings(fact)) yield { type: 'warning', ...warning };
    if (fact.type === 'turn') yield* endTurn(fact);
    else if (fact.type === 'result') {
      yield toToolComplete(fact);
      if (fact.artifact) yield* toArtifactEvents(fact.artifact);
    } else if (fact.type === 'pause') yield* toApprovalStarts(fact);
    else if (fact.type === 'decision') yield toApprovalComplete(fact);
    else if (fact.type === 'note') yield { type: 'custom', name: fact.reason, value: { text: fact.text } };
    else if (fact.type === 'compaction')
      yield { type: 'custom', name: 'compaction', value: { summary: fact.summary } };
    else if (fact.type === 'end') {
      yield* starts.ends({
        error: fact.error ?? describeEarlyEnd(fact.stopReason),
        at: fact.at,
        ...(fact.spent && { cost: fact.spent.cost }),
      });
    }
  }

  return function* progressOf(event: LoopEvent | TurnLost): Generator<LoopProgress> {
    for (const progress of toProgress(event)) {
      starts.track(progress);
      yield progress;
    }
  };

  function* toProgress(event: LoopEvent | TurnLost): Generator<LoopProgress> {
    if (event.type !== 'reasoning-delta') yield* endReasoning();
    switch (event.type) {
      case 'turn-started': {
        // A response that broke off begins anew.
        text = undefined;
        return yield { type: 'turn_start', id: event.turnId, role: 'assistant', iteration: event.turn };
      }
      case 'text-delta':
        yield* startText();
        return yield { type: 'text_delta', delta: event.text };
      case 'reasoning-delta':
        if (reasoning === undefined) yield { type: 'reasoning_start' };
        reasoning = (reasoning ?? '') + event.text;
        return yield { type: 'reasoning_delta', delta: event.text };
      case 'tool-call-delta':
        yield* startTool(event.id, event.name, event.toolType);
        return yield { type: 'tool_input_delta', toolCallId: event.id, delta: event.text };
      case 'tool-call': {
        yield* startTool(event.id, event.name, event.toolType);
        const parameters = event.input ?? event.text;
        return yield { type: 'tool_input_complete', toolCallId: event.id, parameters };
      }
      case 'source': {
        const { id, title, url } = event;
        return yield { type: 'source', source: { id, title, url } };
      }
      case 'tool-event': {
        const { callId: toolCallId, event: inner } = event;
        if (inner.type === 'custom') return yield inner;
        return yield { type: 'tool_output_delta', toolCallId, delta: inner.delta };
      }
      case 'turn-lost':
        text = undefined;
        return yield* starts.ends({ error: 'The turn was interrupted, and begins again', at: event.at });
      case 'facts':
        for (const fact of event.facts) yield* toFactProgress(fact);
    }
  }
}

/** A state repeats those of the facts before it. */
const getWarnings = (fact: Fact): readonly Warning[] =>
  'spent' in fact && fact.type !== 'state' ? (fact.spent?.warnings ?? []) : [];

/** @param stopReason Of a run that ended while something was open. */
export const describeEarlyEnd = (stopReason: string) => `The run ended before this did: ${stopReason}`;

function toToolComplete({
  callId: toolCallId,
  toolName,
  output,
  failed,
  durationMs,
}: ResultFact): LoopProgress {
  const outcome = failed ? { success: false, error: String(output) } : { success: true, result: output };
  return { type: 'tool_complete', toolCallId, toolName, ...outcome, executionTime: durationMs };
}

function* toArtifactEvents({
  id,
  isNew,
  artifactType = 'markdown',
  title = '',
  content,
}: Artifact): Generator<LoopProgress> {
  if (isNew) {
    yield { type: 'artifact_start', id, artifactType, title };
    yield { type: 'artifact_delta', id, delta: content };
  } else yield { type: 'artifact_update', id, content };
  yield { type: 'artifact_complete', id };
}

const stopReasons = {
  stop: 'end_turn',
  'tool-calls': 'tool_calls',
  max_tool_calls: 'max_tool_calls',
  length: 'length',
  'content-filter': 'content_filter',
  error: 'error',
  interrupted: 'error',
  other: 'unknown',
} as const;

const toTurnComplete = ({
  turnId,
  turn,
  text,
  spent,
  stopReason,
  fallback,
  attempts,
  at,
}: TurnFact): LoopProgress => ({
  type: 'turn_complete',
  id: turnId,
  role: 'assistant',
  iteration: turn,
  content: text,
  spending: parseFactSpending(spent),
  stopReason: stopReasons[stopReason],
  ...(fallback && { fallback }),
  ...(attempts && { attempts }),
  completedAt: at,
});

function* toApprovalStarts({ waits, at }: FactOf<'pause'>): Generator<LoopProgress> {
  for (const { approvalId, callId: toolCallId, toolName, parameters, until } of waits) {
    const timeout = Date.parse(until) - Date.parse(at);
    if (approvalId) yield { type: 'approval_start', approvalId, toolCallId, toolName, parameters, timeout };
  }
}

const toApprovalComplete = ({ approvalId, decision, reason, by }: FactOf<'decision'>): LoopProgress => ({
  type: 'approval_complete',
  approvalId,
  decision,
  resolvedBy: by === null ? 'system' : 'user',
  ...(reason && { reason }),
});

/** What readers of an agent's run learn while it goes on. */
export type LoopProgress =
  | StepEvent
  | { type: 'turn_start'; id: string; role: 'assistant'; iteration: number }
  | {
      type: 'turn_complete';
      id: string;
      role: 'assistant';
      iteration: number;
      content: string;
      spending: Spending;
      stopReason:
        | 'end_turn'
        | 'tool_calls'
        | 'max_tool_calls'
        | 'length'
        | 'content_filter'
        | 'error'
        | 'unknown';
      fallback?: string;
      attempts?: Attempt[];
      /** Of a turn without a response. */
      success?: false;
      error?: string;
      completedAt: string;
    }
  | ({ type: 'warning' } & Omit<Warning, 'stepId'>)
  | { type: 'artifact_start'; id: string; artifactType: string; title: string }
  | { type: 'artifact_delta'; id: string; delta: string }
  | { type: 'artifact_update'; id: string; content: string }
  | { type: 'artifact_complete'; id: string }
  | {
      type: 'approval_start';
      approvalId: string;
      toolCallId: string;
      toolName: string;
      parameters: unknown;
      /** Milliseconds until the call is denied. */
      timeout: number;
    }
  | {
      type: 'approval_complete';
      approvalId: string;
      decision: 'approved' | 'denied' | 'timeout';
      resolvedBy: 'user' | 'system';
      reason?: string;
    };

export const toStepEvent = (progress: LoopProgress): StepEvent | undefined =>
  isOfAgents(progress) ? undefined : progress;

const isOfAgents = (progress: LoopProgress): progress is Exclude<LoopProgress, StepEvent> =>
  /^(?:(?:turn|approval|artifact)_|warning$)/.test(progress.type);

interface Breakdown {
  error: string;
  /** ISO. */
  at: string;
  /** USD; null if nobody knows it. */
  cost?: string | null;
}

/** Keeps what has begun and not ended, so that each start that readers see is followed by its end, whatever happens. */
export function openStarts() {
  const open = new Map<string, { start: LoopProgress; text: string }>();
  return {
    track(event: LoopProgress): void {
      const key = toKey(event);
      if (event.type.endsWith('_start')) open.set(key, { start: event, text: '' });
      else if (event.type.endsWith('_complete')) open.delete(key);
      else if (event.type === 'text_delta' || event.type === 'reasoning_delta') {
        const begun = open.get(key);
        if (begun) begun.text += event.delta;
      }
    },
    /** The ends of what is open, the last start first. @param isOver Whether one of them does not go on. Default: all */
    *ends(why: Breakdown, isOver: (start: LoopProgress) => boolean = () => true): Generator<LoopProgress> {
      let said = '';
      for (const [key, { start, text }] of [...open].reverse()) {
        if (!isOver(start)) continue;
        open.delete(key);
        if (start.type === 'text_start') said = text;
        yield* toEndEvents(start, start.type === 'turn_start' ? said : text, why);
      }
    },
  };
}

/** `text`, `reasoning` and `turn` follow each other; the others may be open side by side. */
function toKey(event: LoopProgress): string {
  const kind = event.type.slice(0, event.type.indexOf('_'));
  if (event.type === 'approval_start' || event.type === 'approval_complete')
    return `${kind} ${event.approvalId}`;
  if ('toolCallId' in event) return `${kind} ${event.toolCallId} ${/input|output/.test(event.type)}`;
  return kind === 'artifact' && 'id' in event ? `${kind} ${event.id}` : kind;
}

function* toEndEvents(
  start: LoopProgress,
  text: string,
  { error, at, cost = null }: Breakdown,
): Generator<LoopProgress> {
  switch (start.type) {
    case 'text_start':
      return yield { type: 'text_complete', text };
    case 'reasoning_start':
      return yield { type: 'reasoning_complete', text };
    case 'tool_start': {
      const { toolCallId, toolName } = start;
      return yield { type: 'tool_complete', toolCallId, toolName, success: false, error, executionTime: 0 };
    }
    case 'approval_start': {
      const { approvalId } = start;
      return yield {
        type: 'approval_complete',
        approvalId,
        decision: 'denied',
        resolvedBy: 'system',
        reason: error,
      };
    }
    case 'turn_start': {
      const { id, role, iteration } = start;
      return yield {
        type: 'turn_complete',
        id,
        role,
        iteration,
        content: text,
        spending: { ...noSpending, ...parseCost(cost) },
        stopReason: 'error',
        success: false,
        error,
        completedAt: at,
      };
    }
  }
}
