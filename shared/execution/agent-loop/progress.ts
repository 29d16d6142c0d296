import type { Warning } from '../../core/warnings.ts';
import {
  approvalComplete,
  approvalStarts,
  artifactEvents,
  toolComplete,
  turnComplete,
} from './fact-progress.ts';
import type { Fact, TurnFact } from './facts.ts';
import type { LoopEvent } from './loop.ts';
import type { LoopProgress } from './loop-progress.ts';
import { openStarts } from './open-starts.ts';

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
    yield turnComplete(turn);
  }

  function* ofFact(fact: Fact): Generator<LoopProgress> {
    // Those of a step are events of the step.
    for (const { stepId: _step, ...warning } of warningsOf(fact)) yield { type: 'warning', ...warning };
    if (fact.type === 'turn') yield* endTurn(fact);
    else if (fact.type === 'result') {
      yield toolComplete(fact);
      if (fact.artifact) yield* artifactEvents(fact.artifact);
    } else if (fact.type === 'pause') yield* approvalStarts(fact);
    else if (fact.type === 'decision') yield approvalComplete(fact);
    else if (fact.type === 'note') yield { type: 'custom', name: fact.reason, value: { text: fact.text } };
    else if (fact.type === 'compaction')
      yield { type: 'custom', name: 'compaction', value: { summary: fact.summary } };
    else if (fact.type === 'end') {
      yield* starts.ends({
        error: fact.error ?? endedBefore(fact.stopReason),
        at: fact.at,
        ...(fact.spent && { cost: fact.spent.cost }),
      });
    }
  }

  return function* progressOf(event: LoopEvent | TurnLost): Generator<LoopProgress> {
    for (const progress of progressIn(event)) {
      starts.note(progress);
      yield progress;
    }
  };

  function* progressIn(event: LoopEvent | TurnLost): Generator<LoopProgress> {
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
        for (const fact of event.facts) yield* ofFact(fact);
    }
  }
}

const warningsOf = (fact: Fact): readonly Warning[] => ('spent' in fact ? (fact.spent?.warnings ?? []) : []);

/** @param stopReason Of a run that ended while something was open. */
export const endedBefore = (stopReason: string) => `The run ended before this did: ${stopReason}`;
