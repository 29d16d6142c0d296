import { execute, type Run } from '../../shared/execution/agent-runs/execute.ts';
import { livePorts } from '../../shared/execution/live-ports.ts';
import { using } from '../../shared/platform/aws/uses.ts';
import type { Scope } from '../../shared/platform/data/scope.ts';
import { serverSentEvent, streamedBody } from '../../shared/platform/http/streamed-body.ts';
import { AgentResult, agentResultOf } from '../../shared/protocols/json/agent-result.ts';
import { agentEvents } from '../../shared/protocols/sse/agent-events.ts';

/** Reserved to record the end of a run, and to tell the caller. */
const reserveMs = 5_000;

/** All uses, because the agent decides which services a run calls. */
export const runScope = using([livePorts, 'table:write', 'payloads'], (all: Scope) => all);

/** The time that a run may take in front of its caller. */
export const foregroundMs = (asked: number | undefined, timeLeftMs: number) =>
  Math.max(1, Math.min(asked ?? 600_000, timeLeftMs - reserveMs));

/** Executes a run while it responds: with its events, or with one JSON body at the end. */
export function runResponse(
  scope: Scope,
  run: Run,
  { isStreamed, requestId }: { isStreamed: boolean; requestId: string },
) {
  const { execution } = run;
  const events = (callerSignal: AbortSignal) =>
    execute(scope, run, {
      ports: livePorts(scope, { ...execution, runId: execution.id }),
      streamed: isStreamed,
      ...{ callerSignal, requestId },
    });
  if (isStreamed) {
    return streamedBody({
      contentType: 'text/event-stream',
      writeBody: async (write, callerSignal) => {
        for await (const event of agentEvents(events(callerSignal))) await write(serverSentEvent(event));
      },
    });
  }
  return streamedBody({
    contentType: 'application/json',
    keepAlive: ' ',
    writeBody: async (write, callerSignal) => {
      write(JSON.stringify(AgentResult.parse(await agentResultOf(events(callerSignal)))));
    },
  });
}
