import { LeaseLost, renewing } from '../../../core/concurrency/renewal.ts';
import { ConditionFailed } from '../../../platform/data/condition-failed.ts';
import type { Scope } from '../../../platform/data/scope.ts';
import {
  type AgentExecution,
  agentExecutionEntity,
  leaseFrom,
  openRunIndex,
} from '../executions/agent-execution.ts';

/** Three attempts fit into a lease. */
const renewedEveryMs = 25_000;
/** How soon a process notices that the run was cancelled while it waits for a model or a tool. */
const watchedEveryMs = 3_000;

export interface AgentRunLease {
  /** Aborted when the process no longer has the run: it was cancelled, or another process has taken it. */
  lost: AbortSignal;
  release: () => void;
}

/** Keeps a run while it goes on. Costs nothing in the first seconds. @param onSeen Gets the run as it is in the table. */
export function keepLease(
  scope: Scope,
  execution: AgentExecution,
  holder: string,
  onSeen: (current: AgentExecution) => unknown = () => {},
): AgentRunLease {
  const { table, now } = scope;
  const { id } = execution;
  const ownRun = {
    expression: '#holder = :holder AND #summary.#status = :running',
    values: { holder, running: 'running' },
  };

  async function renew(): Promise<void> {
    const leaseUntil = leaseFrom(now());
    const index = openRunIndex({ ...execution, leaseUntil });
    await table.commit([
      table.writes.update(agentExecutionEntity, { id }, { set: { leaseUntil }, index }, ownRun),
    ]);
  }

  async function watch(): Promise<void> {
    const isOwn = async (consistent: boolean) => {
      const current = await table.get(agentExecutionEntity, { id }, { consistent });
      if (current?.status !== 'running' || current.holder !== holder) return false;
      onSeen(current);
      return true;
    };
    // The cheaper read may be a moment behind.
    if (!((await isOwn(false)) || (await isOwn(true)))) throw new LeaseLost();
  }

  const common = {
    failure: 'The lease of a run could not be kept',
    about: { executionId: id },
    isLoss: (error: unknown) => error instanceof ConditionFailed,
  };
  const renewals = [
    renewing(renew, { ...common, everyMs: renewedEveryMs }),
    renewing(watch, { ...common, everyMs: watchedEveryMs }),
  ];
  return {
    lost: AbortSignal.any(renewals.map(({ lost }) => lost)),
    release: () => {
      for (const { stop } of renewals) stop();
    },
  };
}
