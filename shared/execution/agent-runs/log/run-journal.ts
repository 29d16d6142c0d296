import type { ModelMessage } from '../../../adapters/ports/model-port.ts';
import type { ModelCall } from '../../../domain/model-usage/model-calls.ts';
import type { Scope } from '../../../platform/data/scope.ts';
import type { Fact } from '../../agent-loop/facts.ts';
import type { LoopEvent } from '../../agent-loop/loop.ts';
import { apply, type RunState, replay } from '../../agent-loop/state.ts';
import type { AgentRunEvent, NumberedEvent } from '../../events/agent-run-event.ts';
import { factEvents } from './fact-events.ts';
import type { TakenRun } from './load-run.ts';
import { factsOf } from './load-run.ts';
import { openRecorder } from './recorder.ts';
import { progressAfter } from './replay-events.ts';
import { firstSeqAfter, openTurnNumbers } from './turn-numbers.ts';

/** The state of a run in this process: it records facts, and numbers the events of the run. */
export function openJournal(scope: Scope, { execution, log, isTakenOver = false }: TakenRun) {
  const { id: executionId } = execution;
  const began = performance.now();
  const activeMs = () => execution.activeMs + Math.round(performance.now() - began);
  const { n: lastFact, lastSeq } = log.at(-1) ?? { n: -1, lastSeq: 0 };
  const recorder = openRecorder(scope, execution, log);
  const progressOf = progressAfter(log);
  const turnNumbers = openTurnNumbers();
  let state: RunState = replay([], factsOf(log));
  let turnId = state.lastTurn?.turnId;
  let nextFact = lastFact + 1;
  let nextSeq = firstSeqAfter(lastSeq, isTakenOver);
  let recordedSeq = lastSeq;

  function numbered(event: AgentRunEvent): NumberedEvent {
    if (event.type === 'turn_start') turnId = event.id;
    turnNumbers.note(event, nextSeq);
    return { executionId, seq: nextSeq++, turnId, event };
  }

  return {
    state: () => state,
    nextFact: () => nextFact,
    nextSeq: () => nextSeq,

    /** @returns the state with the messages that the run began with. */
    load(messages: readonly ModelMessage[]): RunState {
      state = replay(messages, factsOf(log));
      return state;
    },

    *tell(event: Exclude<LoopEvent, { type: 'facts' }>): Generator<NumberedEvent> {
      for (const progress of progressOf(event)) yield numbered(progress);
    },

    /** Counts the model calls before the facts. @returns their events, which readers may see now. @throws RunLost */
    async record(facts: readonly Fact[], calls: readonly ModelCall[]): Promise<NumberedEvent[]> {
      state = facts.reduce(apply, state);
      const at = { execution, state, durationMs: activeMs() };
      const recorded = facts.map((fact) => {
        const numbers = fact.type === 'turn' ? turnNumbers.ofTurn(recordedSeq) : undefined;
        const events = factEvents(fact, progressOf, at).map(numbered);
        recordedSeq = nextSeq - 1;
        return { events, entry: { fact, lastSeq: recordedSeq, ...(numbers && { numbers }) } };
      });
      await recorder.append(
        recorded.map(({ entry }) => entry),
        { state, calls, activeMs: activeMs() },
      );
      nextFact += facts.length;
      return recorded.flatMap(({ events }) => events);
    },
  };
}
