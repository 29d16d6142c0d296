/**
 * Runs of agents that wait because a run inside of them does: a sub-agent that asks for an approval, at any depth, or a flow
 * called as a tool whose step waits (`waiting-flows.ts`), which goes on by itself and says at its end that they may.
 * The inner run pauses by itself, and is listed in the inbox. The call that runs it has no result then, so the run around it
 * pauses with a wait of the kind `inside`, and so on up to the outermost one. Whoever answers records that in the inner run
 * alone. Nothing is written in the runs around it: whether one still waits follows from what is inside (`isWaiting`), and with
 * its fact `continue` the calls are made again, which continue the runs inside of them (`agents-adapter.ts`).
 * Whoever answers sends a message for the outermost run. If the answer came before that run said that it waits, its own
 * process has the sweep continue it (`continueIfAnswered`); after a crash the sweep does so at the end of the wait.
 */
import { ifMissing } from '../../core/errors/errors.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { LoopWait } from '../agent-loop/facts.ts';
import type { RunState } from '../agent-loop/state.ts';
import { findSuspended, toCallRunId, waitingFlowCanceller } from '../batches/waiting-flows.ts';
import {
  type AgentExecution,
  agentExecutionEntity,
  isExecutionOver,
  postponeRunSweep,
} from './agent-execution.ts';
import { findExecution, loadRun } from './run-log.ts';

interface Waiting {
  state: { waits: readonly Pick<LoopWait, 'kind' | 'runId'>[] };
}

/** Whether a paused run waits for somebody, or a run inside of it does. */
export async function isWaiting(scope: Scope, { state }: Waiting): Promise<boolean> {
  if (state.waits.some(({ kind }) => kind !== 'inside')) return true;
  for (const { runId = '' } of state.waits) if (await isWaitingInside(scope, runId)) return true;
  return false;
}

/** An agent that runs is with its own process, which is that of the run around it: it would not be paused. */
async function isWaitingInside(scope: Scope, runId: string): Promise<boolean> {
  const inside = await loadRun(scope, runId).catch(ifMissing(undefined));
  // A flow runs in a process of its own.
  if (!inside) {
    const flow = await findSuspended(scope, runId);
    return flow !== undefined && flow.completedAt === undefined;
  }
  if (isExecutionOver(inside.execution)) return false;
  return inside.execution.status === 'paused' && isWaiting(scope, inside);
}

/** The run of an agent around it that is in none itself. */
export async function findOutermost(scope: Scope, execution: AgentExecution): Promise<AgentExecution> {
  let at = execution;
  while (at.isInAgent && at.parentExecutionId !== null) at = await findExecution(scope, at.parentExecutionId);
  return at;
}

/** Has the next sweep continue a run if nothing inside of it waits any more. */
export async function continueIfAnswered(scope: Scope, executionId: string): Promise<void> {
  const run = await loadRun(scope, executionId).catch(ifMissing(undefined));
  if (run?.execution.status !== 'paused' || (await isWaiting(scope, run))) return;
  await postponeRunSweep(scope, run.execution, scope.now().toISOString());
}

type OpenCalls = Pick<RunState, 'open' | 'results'>;

/** Cancels the flows of calls that will have no result, also of those that the run has not said that it waits for. */
export const insideCanceller = /* @__PURE__ */ using(
  [waitingFlowCanceller],
  (scope: Scope) =>
    async (executionId: string, { open, results }: OpenCalls): Promise<void> => {
      const left = open.filter(({ id }) => !results.has(id));
      await Promise.all(left.map(({ id }) => waitingFlowCanceller(scope)(toCallRunId(executionId, id))));
    },
);

/** The same for a run that this process has lost, unless it goes on elsewhere. */
export async function cancelInsideIfOver(scope: Scope, executionId: string, calls: OpenCalls): Promise<void> {
  if (calls.open.length === 0) return;
  const execution = await scope.table.get(agentExecutionEntity, { id: executionId }, { consistent: true });
  if (!execution || isExecutionOver(execution)) await insideCanceller(scope)(executionId, calls);
}
