import { ConditionFailed } from '../../../platform/data/condition-failed.ts';
import type { Scope } from '../../../platform/data/scope.ts';
import type { Write } from '../../../platform/data/writes.ts';
import type { Fact } from '../../agent-loop/facts.ts';
import { agentExecutionEntity, leaseFrom, openRunIndex } from '../executions/agent-execution.ts';
import { openJournal } from '../log/run-journal.ts';
import type { LoadedRun, LogEntry } from '../log/run-log.ts';

/**
 * Records facts of a run that no process runs. A `continue` among them takes the run for this process.
 * @returns the run after them, and their entries. @throws RunLost if somebody else recorded facts since it was loaded.
 */
export async function appendTo(
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

/** Takes a run whose process is gone. @returns whether this process has it now. */
export async function takeOver(scope: Scope, run: LoadedRun, holder: string): Promise<boolean> {
  const { table, now } = scope;
  const { id, holder: former, leaseUntil: formerLease } = run.execution;
  const leaseUntil = leaseFrom(now());
  const write = table.writes.update(
    agentExecutionEntity,
    { id },
    {
      set: { holder, leaseUntil },
      add: { restarts: 1 },
      index: openRunIndex({ ...run.execution, leaseUntil }),
    },
    {
      expression: '#summary.#status = :running AND #holder = :former AND #leaseUntil = :formerLease',
      values: { running: 'running', former, formerLease },
    },
  );
  try {
    await table.commit([write]);
    return true;
  } catch (error) {
    if (error instanceof ConditionFailed) return false;
    throw error;
  }
}
