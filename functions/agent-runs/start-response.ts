import * as z from 'zod';
import { sandbox } from '../../shared/adapters/sandbox/sandbox.ts';
import { agentRunQueue } from '../../shared/domain/agents/agent-run-queue.ts';
import { type AgentRunRequest, startRun } from '../../shared/execution/agent-runs/start-run.ts';
import type { Scope } from '../../shared/platform/data/scope.ts';
import { runResponse } from '../../shared/protocols/run-events/flow-response.ts';

/** The response to a run that a worker executes. */
export const StartedRun = z.object({ executionId: z.string(), status: z.literal('running') }).meta({
  id: 'StartedRun',
  examples: [{ executionId: 'exec_01k9m4v7d3x8qz5w2r6t0y1hbn', status: 'running' }],
});

interface StartForm {
  isStreamed: boolean;
  requestId: string;
}

/** Starts a run: executes it while it responds, or has a worker execute it. */
export async function startResponse(
  scope: Scope,
  request: AgentRunRequest,
  { isStreamed, requestId }: StartForm,
) {
  const run = await startRun(scope, request, sandbox(scope));
  const { id: executionId, background } = run.execution;
  if (background) {
    await agentRunQueue(scope).send(executionId);
    return { status: 202 as const, body: { executionId, status: 'running' as const } };
  }
  return runResponse(scope, run, { executionId, isStreamed, requestId });
}
