import { LeaseLost, startRenewal } from '../../core/concurrency/renewal.ts';
import { ConditionFailed } from '../../platform/data/condition-failed.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { combineConditions, type Write } from '../../platform/data/writes.ts';
import type { Fact } from '../agent-loop/facts.ts';
import { type AgentExecution, agentExecutionEntity, openRunIndex, runLease } from './agent-execution.ts';
import { openJournal } from './run-journal.ts';
import type { LoadedRun, LogEntry } from './run-log.ts';

/**
 * Records facts of a run that no process runs. A `continue` among them takes the run for this process.
 * @returns the run after them, and their entries. @throws RunLost if somebody else recorded facts since it was loaded.
 */
export async function appendFacts(
  scope: Scope,
  { execution, log }: LoadedRun,
  facts: readonly Fact[],
  alsoWrite: readonly Write[] = [],
): Promise<{ run: LoadedRun; added: LogEntry[] }> {
  const holder = scope.newId('hold');
  // Its process may be in the middle of a turn.
  const isTakenOver = execution.status === 'running';
  const journal = openJournal(scope, { execution: { ...execution, holder }, log, isTakenOver });
  const { entries: added } = await journal.record(facts, { alsoWrite });
  const isTaken = facts.some(({ type }) => type === 'continue');
  return {
    run: {
      execution: isTaken ? { ...execution, holder, status: 'running' } : execution,
      log: [...log, ...added],
      state: journal.state(),
    },
    added,
  };
}

const isRunning = { expression: '#summary.#status = :running', values: { running: 'running' } };

/** Takes a run whose process is gone. @returns whether this process has it now. */
export async function acquireLease(scope: Scope, run: LoadedRun, holder: string): Promise<boolean> {
  const { table, now } = scope;
  const { execution } = run;
  const set = runLease.toMembers(now(), holder);
  const isAsRead = { expression: '#leaseUntil = :formerEnd', values: { formerEnd: execution.leaseUntil } };
  const write = table.writes.update(
    agentExecutionEntity,
    { id: execution.id },
    { set, add: { restarts: 1 }, index: openRunIndex({ ...execution, ...set }) },
    combineConditions(isRunning, runLease.isHolder(execution.holder), isAsRead),
  );
  try {
    await table.commit([write]);
    return true;
  } catch (error) {
    if (error instanceof ConditionFailed) return false;
    throw error;
  }
}

/** Three attempts fit into a lease. */
const renewedEveryMs = 25_000;
/** How soon a process notices that the run was cancelled while it waits for a model or a tool. */
const watchedEveryMs = 3_000;

interface AgentRunLease {
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
  async function renew(): Promise<void> {
    const { set, condition } = runLease.extend(now(), holder);
    const changes = { set, index: openRunIndex({ ...execution, ...set }) };
    await table.commit([
      table.writes.update(agentExecutionEntity, { id }, changes, combineConditions(isRunning, condition)),
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
    startRenewal(renew, { ...common, everyMs: renewedEveryMs }),
    startRenewal(watch, { ...common, everyMs: watchedEveryMs }),
  ];
  return {
    lost: AbortSignal.any(renewals.map(({ lost }) => lost)),
    release: () => {
      for (const { stop } of renewals) stop();
    },
  };
}
