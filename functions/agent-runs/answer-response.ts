import { agentRunQueue } from '../../shared/domain/agents/agent-run-queue.ts';
import type { AnsweredRun } from '../../shared/execution/agent-runs/answer-run.ts';
import { followRun } from '../../shared/execution/agent-runs/follow-run.ts';
import { findOutermost, isWaiting } from '../../shared/execution/agent-runs/inside-waits.ts';
import { type NumberedEvent, replayEvents } from '../../shared/execution/agent-runs/run-events.ts';
import { loadInput } from '../../shared/execution/agent-runs/run-log.ts';
import type { Scope } from '../../shared/platform/data/scope.ts';
import { nameRun } from '../../shared/platform/http/responses/streamed-body.ts';
import {
  eventsResponse,
  type ResponseForm,
  runResponse,
} from '../../shared/protocols/run-events/flow-response.ts';

/** Continues a run that has its last answer; shows what the others still wait for. */
export async function answerResponse(scope: Scope, { run, added }: AnsweredRun, form: ResponseForm) {
  const { execution, log } = run;
  const sentSeq = log.at(-added.length - 1)?.lastSeq ?? 0;
  if (form.isStreamed) nameRun({ executionId: execution.id, after: sentSeq });
  if (await isWaiting(scope, run)) {
    return eventsResponse(async function* () {
      yield* replayEvents(execution, log, sentSeq);
    }, form);
  }
  if (execution.background || execution.isInAgent) {
    await agentRunQueue(scope).send((await findOutermost(scope, execution)).id);
    return eventsResponse((signal) => followOnce(scope, execution.id, sentSeq, form, signal), form);
  }
  const input = await loadInput(scope, execution);
  return runResponse(scope, { execution, log, sentSeq, mayHaveBegun: false, ...input }, form);
}

/** A caller of JSON does not wait for a run in the background. */
async function* followOnce(
  scope: Scope,
  id: string,
  sentSeq: number,
  { isStreamed }: ResponseForm,
  signal: AbortSignal,
): AsyncGenerator<NumberedEvent, void> {
  if (isStreamed) yield* followRun(scope, id, sentSeq, signal);
}
