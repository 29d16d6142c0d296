import { notFound } from '../../core/errors/errors.ts';
import { chatTargets } from '../../domain/client-sessions/chat-targets.ts';
import { type SessionRun, sessionRuns } from '../../domain/client-sessions/client-session.ts';
import { assertMessageFits } from '../../domain/conversations/message-writes.ts';
import { agentExecutionEntity } from '../../execution/agent-runs/agent-execution.ts';
import type { ClientTool, RunInput } from '../../execution/agent-runs/agent-input.ts';
import {
  answerWaits,
  createNotWaitingError,
  type GivenAnswers,
} from '../../execution/agent-runs/answer-run.ts';
import { replayEvents } from '../../execution/agent-runs/run-events.ts';
import { findExecution, type LogEntry, loadInput } from '../../execution/agent-runs/run-log.ts';
import { executeFlowRun } from '../../execution/dispatch/execute-flow-run.ts';
import { resumeFlowRun } from '../../execution/dispatch/resume.ts';
import { executionEntity } from '../../execution/runs/execution.ts';
import { getFlowTimeMs } from '../../execution/targets/front-policy.ts';
import { targetScope } from '../../execution/targets/start-target.ts';
import { survivesProcess } from '../../execution/targets/survives-process.ts';
import { pageToolType } from '../../execution/tools/call-tool.ts';
import { using } from '../../platform/aws/uses.ts';
import { payloadWriter } from '../../platform/data/payloads.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { agentEvents } from '../run-events/agent-events.ts';
import { flowEvents } from '../run-events/flow-events.ts';
import { conversationMessages } from './conversation-messages.ts';
import { chatView } from './events/client-events.ts';
import { type EventsFor, openTurn } from './open-turn.ts';
import { assertNamed, type SessionContext, sessionVisitor, tokenMeter } from './visitor.ts';

export interface Continuation extends Omit<GivenAnswers, 'continuesHere'> {
  executionId: string;
  /** The tools of the page from now on, for an agent; undefined if they stay the same. */
  clientTools?: ClientTool[] | undefined;
  isStreamed: boolean;
  requestId: string;
  timeLeftMs: number;
  signal: AbortSignal;
}

/** Longer JSON goes to the payload bucket. */
const inlineMax = 8_000;

export const continueAnswer = /* @__PURE__ */ using(
  [openTurn, chatTargets, sessionRuns, conversationMessages, tokenMeter, targetScope],
  (scope: Scope) =>
    /** @throws 404 for a run that is none of the session; 400 and 409 as `answer` and `resumeFlowRun` */
    async (visit: SessionContext, { signal, isStreamed, ...continuation }: Continuation) => {
      const { executionId } = continuation;
      const { hash } = visit.session;
      const run = await sessionRuns(scope).find(hash, executionId);
      if (!run) throw notFound('Execution');
      await assertNamed(chatTargets(scope), visit);
      await assertContinuable(scope, visit, run);
      // Before the run goes on.
      for (const [index, message] of (continuation.messages ?? []).entries())
        assertMessageFits(message, index);
      await tokenMeter(scope)(visit);
      const messages = continuation.messages?.length ?? 0;
      const turn = await openTurn(scope).begin(visit, { interrupts: false, messages, signal });
      try {
        const { conversationId } = run;
        await scope.table.commit([turn.noteRun({ conversationId, runId: executionId })]);
        const { eventsFor, ...brought } =
          run.target.kind === 'agent'
            ? await continueAgent(scope, visit, continuation)
            : { eventsFor: await continueFlow(scope, visit, continuation), tools: undefined };
        await conversationMessages(scope).addTexts(run, continuation.messages ?? []);
        return turn.respond(run, eventsFor, chatView(visit.token, brought), isStreamed);
      } catch (error) {
        await turn.end();
        throw error;
      }
    },
);

/** @throws 409 for a run that does not wait, before the session is touched; or whose conversation is another one now. */
async function assertContinuable(scope: Scope, { session }: SessionContext, run: SessionRun): Promise<void> {
  const { executionId, target } = run;
  const isWaiting =
    target.kind === 'agent'
      ? (await findExecution(scope, executionId)).status === 'paused'
      : (await scope.table.get(executionEntity, { id: executionId }, { consistent: true }))?.paused;
  if (!isWaiting || session.conversationId !== run.conversationId) throw createNotWaitingError();
}

type Given = Omit<Continuation, 'signal' | 'isStreamed'>;

async function continueAgent(scope: Scope, visit: SessionContext, continuation: Given) {
  const { executionId, clientTools, requestId, timeLeftMs: _, ...answers } = continuation;
  const place = { executionId };
  const { run, added } = await answerWaits(scope, toCaller(visit), place, {
    ...answers,
    continuesHere: true,
  });
  const { log, state } = run;
  const sentSeq = log.at(-added.length - 1)?.lastSeq ?? 0;
  const { content, input: before } = await loadInput(scope, run.execution);
  const input = clientTools ? { ...before, clientTools } : before;
  const execution = clientTools ? await storeInput(scope, run.execution, input) : run.execution;
  const brought = { tools: input.clientTools, calls: callsOfPage(log) };
  const replayWaits: EventsFor = () =>
    agentEvents(
      (async function* () {
        yield* replayEvents(execution, log, sentSeq);
      })(),
    );
  if (state.waits.length > 0) return { eventsFor: replayWaits, ...brought };
  const taken = { execution, log, sentSeq, mayHaveBegun: false, content, input };
  const events = survivesProcess.events(scope, taken, { isStreamed: true, requestId });
  return { eventsFor: (signal: AbortSignal) => agentEvents(events(signal)), ...brought };
}

const callsOfPage = (log: readonly LogEntry[]) =>
  log
    .flatMap(({ fact }) => (fact.type === 'turn' ? fact.calls : []))
    .flatMap(({ id, toolType }) => (toolType === pageToolType ? [id] : []));

/** Stores what a run goes on with, for the case that a worker continues it. */
async function storeInput(
  scope: Scope,
  execution: Parameters<typeof loadInput>[1],
  input: RunInput,
): Promise<typeof execution> {
  const { table, newId } = scope;
  const { id } = execution;
  const name = `agent-runs/${id}/${newId('part')}`;
  const stored = await payloadWriter(scope).offload(name, input, inlineMax);
  const exists = { expression: 'attribute_exists(PK)' };
  await table.commit([table.writes.update(agentExecutionEntity, { id }, { set: { input: stored } }, exists)]);
  return { ...execution, input: stored };
}

async function continueFlow(
  scope: Scope,
  visit: SessionContext,
  { executionId, decisions = [], toolOutputs = {}, requestId, timeLeftMs }: Given,
): Promise<EventsFor> {
  if (decisions.length > 0) throw notFound('Approval');
  const resumed = await resumeFlowRun(scope, toCaller(visit), { executionId, toolOutputs });
  const dispatch = { ...resumed, requestId, timeMs: getFlowTimeMs(timeLeftMs), showsProgress: true };
  return (callerSignal) => flowEvents(executeFlowRun(scope, { ...dispatch, callerSignal }));
}

/** Visitors have no permissions; the runs of chats take none. */
const toCaller = (visit: SessionContext) => ({ ...sessionVisitor(visit), permissions: [] });
