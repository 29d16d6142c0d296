import { setImmediate } from 'node:timers/promises';
import { clientJson } from '../../core/json/exact-json.ts';
import type { AgentRun } from '../../execution/agent-runs/execute-agent-run.ts';
import { followRun } from '../../execution/agent-runs/follow-run.ts';
import type { NumberedEvent } from '../../execution/agent-runs/run-events.ts';
import type { AlsoAtEnd } from '../../execution/agent-runs/run-journal.ts';
import { type Dispatch, executeFlowRun } from '../../execution/dispatch/execute-flow-run.ts';
import { openPorts } from '../../execution/open-ports.ts';
import { endsWithCaller } from '../../execution/targets/ends-with-caller.ts';
import type { StartedTarget } from '../../execution/targets/start-target.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { sendNumberedEvents } from '../../platform/http/responses/server-sent-events.ts';
import { type LoggedRun, nameRun, streamBody } from '../../platform/http/responses/streamed-body.ts';
import { AgentResult, DispatchResult } from '../json/dispatch-result.ts';
import { readAgentResult, readDispatchResult } from '../json/read-result.ts';
import { agentEvents } from './agent-events.ts';
import { flowEvents } from './flow-events.ts';
import type { StreamEvent } from './stream-event.ts';

/** All uses, because the agent decides which services a run calls. */
export const runScope = using(
  [openPorts, 'table:write', 'table:delete', 'payloads:read', 'payloads:write', 'queue:agents'],
  (all: Scope) => all,
);

export interface ResponseForm {
  executionId: string;
  isStreamed: boolean;
  requestId: string;
}

type RunEventsFor = (callerSignal: AbortSignal) => AsyncIterable<NumberedEvent>;

export function runResponse(scope: Scope, run: AgentRun, form: ResponseForm) {
  if (form.isStreamed) nameRun({ executionId: form.executionId, after: run.sentSeq });
  return eventsResponse(endsWithCaller.events(scope, run, form), form);
}

interface Follower {
  requestId: string;
  timeLeftMs: () => number;
}

/** Streams the events of a run that another request began. */
export function followResponse(
  scope: Scope,
  { executionId, after }: LoggedRun,
  { requestId, timeLeftMs }: Follower,
) {
  const timeout = AbortSignal.timeout(Math.max(1, timeLeftMs() - 1_000));
  const eventsFor: RunEventsFor = (signal) =>
    followRun(scope, executionId, after, AbortSignal.any([signal, timeout]));
  return eventsResponse(eventsFor, { executionId, isStreamed: true, requestId });
}

/** Responds with events, or with one JSON body at their end. */
export function eventsResponse(eventsFor: RunEventsFor, { executionId, isStreamed }: ResponseForm) {
  if (isStreamed) return sendNumberedEvents((signal) => agentEvents(eventsFor(signal)));
  return streamBody({
    contentType: 'application/json',
    keepAlive: ' ',
    writeBody: async (write, signal) => {
      write(clientJson(AgentResult.parse(await readAgentResult(executionId, eventsFor(signal)))));
    },
  });
}

/** All uses, because the flow decides which services a run calls. */
export const executionScope = using(
  [openPorts, runScope, 'table:write', 'table:delete', 'payloads:read', 'payloads:write', 'queue:wakes'],
  (all: Scope) => all,
);

type Run = Omit<Dispatch, 'callerSignal' | 'showsProgress'>;

/** Executes a run while it responds: with its events, or with one JSON body at the end. */
export function dispatchResponse(scope: Scope, run: Run, isStreamed: boolean) {
  if (isStreamed) {
    return sendNumberedEvents((callerSignal) =>
      flowEvents(executeFlowRun(scope, { ...run, callerSignal, showsProgress: true })),
    );
  }
  return streamBody({
    contentType: 'application/json',
    keepAlive: ' ',
    writeBody: async (write, callerSignal) => {
      const events = executeFlowRun(scope, { ...run, callerSignal, showsProgress: false });
      for (const piece of jsonPieces(DispatchResult.parse(await readDispatchResult(events)))) {
        await write(piece);
        if (piece.length > largePiece) await setImmediate();
      }
    },
  });
}

/** Results have up to 100 MB, which in one text would hold up other requests, and stay in memory for a slow reader. */
const largePiece = 50_000;

function* jsonPieces(value: object): Generator<string> {
  let before = '{';
  for (const [name, member] of Object.entries(value)) {
    if (member === undefined) continue;
    yield `${before}${JSON.stringify(name)}:`;
    if (Array.isArray(member)) yield* itemPieces(member);
    else yield clientJson(member);
    before = ',';
  }
  yield before === '{' ? '{}' : '}';
}

function* itemPieces(items: readonly unknown[]): Generator<string> {
  for (const [index, item] of items.entries()) yield `${index === 0 ? '[' : ','}${clientJson(item)}`;
  yield items.length === 0 ? '[]' : ']';
}

/** The events of a run, whatever runs. Read these or the result, once. */
export const targetEvents =
  (run: StartedTarget) =>
  (signal: AbortSignal, alsoAtEnd?: AlsoAtEnd): AsyncIterable<StreamEvent> =>
    run.kind === 'flow' ? flowEvents(run.events(signal)) : agentEvents(run.events(signal, alsoAtEnd));

/** How a run ended, whatever ran, with its answer as `output`. */
export const targetResult =
  (run: StartedTarget) =>
  async (
    signal: AbortSignal,
  ): Promise<DispatchResult | (Omit<AgentResult, 'result'> & { output: unknown })> => {
    if (run.kind === 'flow') return readDispatchResult(run.events(signal));
    const { result: output, ...rest } = await readAgentResult(run.executionId, run.events(signal));
    return { ...rest, output };
  };
