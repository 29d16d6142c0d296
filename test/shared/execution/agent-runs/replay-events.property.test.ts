import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runAgent } from '../../../../shared/execution/agent-runs/execute-agent-run.ts';
import { type NumberedEvent, replayEvents } from '../../../../shared/execution/agent-runs/run-events.ts';
import { loadRun } from '../../../../shared/execution/agent-runs/run-log.ts';
import { appendFacts } from '../../../../shared/execution/agent-runs/take-run.ts';
import type { Scope } from '../../../../shared/platform/data/scope.ts';
import { newAgentExecution } from '../../../support/agents/agent-log.ts';
import { countingRuntime } from '../../../support/stack/stack.ts';
import { numRuns } from '../../../support/suite/slow.ts';
import { type AnyRun, anyRun } from '../agent-loop/any-run.ts';
import { messages, openAnswers } from '../agent-loop/drive-run.ts';
import { runWorld } from '../agent-loop/run-world.ts';

const runtime = countingRuntime();
const runs = { numRuns: numRuns(25) };

/** Runs in front of a caller, and gathers what the callers get until the run ends. */
async function live(scope: Scope, run: AnyRun): Promise<{ id: string; events: NumberedEvent[] }> {
  const world = runWorld(run);
  const answers = openAnswers(run.answers);
  const execution = await newAgentExecution(scope);
  const { id } = execution;
  const events: NumberedEvent[] = [];
  const open = async ({ signal }: { signal: AbortSignal }) => ({
    loop: world.loopWith(signal),
    takeCalls: () => [],
    messages,
  });
  let taken = { execution, log: (await loadRun(scope, id)).log, sentSeq: -1, mayHaveBegun: false };
  for (;;) {
    for await (const event of runAgent(scope, taken, { open })) events.push(event);
    let loaded = await loadRun(scope, id);
    if (loaded.state.end) return { id, events };
    const sentSeq = loaded.log.at(-1)?.lastSeq ?? 0;
    while (loaded.state.waits.length > 0) {
      loaded = (await appendFacts(scope, loaded, answers(loaded.state.waits))).run;
    }
    taken = { execution: loaded.execution, log: loaded.log, sentSeq, mayHaveBegun: false };
  }
}

/** The log has nothing of a response that broke off, or was empty. */
const unbroken = (run: AnyRun): AnyRun => ({
  ...run,
  turns: run.turns.map((turn) => ({ ...turn, text: turn.text || 'said', failures: 0 })),
});

/** What completes something. A duration is measured anew by each reader. */
const completing = (events: readonly NumberedEvent[]) =>
  events
    .filter(({ event: { type } }) => !/_start$|_delta$/.test(type))
    .map(({ seq, turnId, event }) => {
      const { execution: _execution, summary, ...rest } = { execution: null, summary: null, ...event };
      const isMeasured = 'durationMs' in rest && event.type === 'awaiting';
      return {
        seq,
        turnId,
        ...rest,
        ...(isMeasured && { durationMs: 0 }),
        ...(summary && { summary: { ...(summary as object), durationMs: 0 } }),
      };
    });

test('the log tells every completing event with the number that it had, after any event', async () => {
  const scope = runtime.scopeOf(`user:${randomUUID()}`);
  await fc.assert(
    fc.asyncProperty(anyRun.map(unbroken), async (run) => {
      const { id, events } = await live(scope, run);
      expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index));
      const { execution, log } = await loadRun(scope, id);
      expect(completing(replayEvents(execution, log, -1))).toEqual(completing(events));
      for (const { seq } of events) {
        const rest = replayEvents(execution, log, seq);
        expect(completing(rest)).toEqual(completing(events.slice(seq + 1)));
        expect(rest.map((event) => event.seq)).toEqual(
          rest.map((event) => event.seq).toSorted((a, b) => a - b),
        );
      }
    }),
    runs,
  );
}, 60_000);
