import type { Scope } from '../../platform/data/scope.ts';
import { toAgentListing } from '../agent-runs/agent-execution.ts';
import { type AgentRun, type ExecuteOptions, executeAgentRun } from '../agent-runs/execute-agent-run.ts';
import type { NumberedEvent } from '../agent-runs/run-events.ts';
import type { AlsoAtEnd } from '../agent-runs/run-journal.ts';
import { openPorts } from '../open-ports.ts';

export interface Front {
  isStreamed: boolean;
  requestId: string;
}

/**
 * What becomes of an agent's run in front of its caller when the caller leaves, or the process dies. Each policy is a module
 * of its own, so that a Lambda is allowed only what its policy needs.
 */
export interface FrontPolicy {
  /** Whether a worker continues the run if its process dies. */
  background: boolean;
  /** Whether the run may take more time than its process has. */
  outlivesProcess: boolean;
  /**
   * The events of a run that this process has. @param signal Aborted when its caller leaves. @param alsoAtEnd For those that
   * survive their caller's process.
   */
  events: (
    scope: Scope,
    run: AgentRun,
    front: Front,
  ) => (signal: AbortSignal, alsoAtEnd?: AlsoAtEnd) => AsyncGenerator<NumberedEvent, void>;
}

export const executeInFront = (
  scope: Scope,
  run: AgentRun,
  { isStreamed, requestId }: Front,
  signals: Pick<ExecuteOptions, 'callerSignal' | 'stopSignal' | 'alsoAtEnd'>,
) => {
  const { execution } = run;
  const ports = openPorts(scope, { ...execution, runId: execution.id, listing: toAgentListing(execution) });
  return executeAgentRun(scope, run, { ports, streamed: isStreamed, requestId, ...signals });
};

/** Reserved for reporting the timeout of a flow and persisting its results. */
const flowReserveMs = 3_000;
/** Reserved to record the end of an agent's run, and to tell the caller. */
const agentReserveMs = 5_000;

/** The time limit of a flow's run in front of its caller. @param timeLeftMs Of its process. */
export const getFlowTimeMs = (timeLeftMs: number) => Math.max(1, timeLeftMs - flowReserveMs);

/** The time that an agent's run may take: in front of its caller, no longer than its process lives. */
export const getAgentTimeMs = (
  { background, timeoutMs }: { background: boolean; timeoutMs?: number | undefined },
  timeLeftMs: number,
) => (background ? timeoutMs : Math.max(1, Math.min(timeoutMs ?? 600_000, timeLeftMs - agentReserveMs)));
