import { ifRefused } from '../../../platform/data/condition-failed.ts';
import type { Scope } from '../../../platform/data/scope.ts';
import type { Write } from '../../../platform/data/writes.ts';
import type { EndFact, PauseFact } from '../../agent-loop/facts.ts';
import type { RunState } from '../../agent-loop/state.ts';
import { type AgentExecution, agentExecutionEntity, childRunIndex, openRunIndex } from './agent-execution.ts';

/** How long a process has a run before it must renew its lease. */
const leaseMs = 90_000;

/** How long a message may wait for a worker before the sweep sends another. */
export const resentAfterMs = 5 * 60_000;

export const leaseFrom = (now: Date) => new Date(now.getTime() + leaseMs).toISOString();

const isOpen = {
  expression: '#summary.#status = :running OR #summary.#status = :paused',
  values: { running: 'running', paused: 'paused' },
};

const isPaused = { expression: '#summary.#status = :paused', values: { paused: 'paused' } };

export const endStatus = ({ stopReason, error }: EndFact) =>
  stopReason === 'cancelled' ? 'cancelled' : error === null ? 'completed' : 'failed';

/** Commit it with the fact `end`. */
export function endedWrite(
  { table }: Scope,
  execution: AgentExecution,
  end: EndFact,
  { turns, totals }: RunState,
): Write {
  return table.writes.update(
    agentExecutionEntity,
    { id: execution.id },
    {
      set: {
        status: endStatus(end),
        stopReason: end.stopReason,
        error: end.error,
        completedAt: end.at,
        iterations: turns,
        inputTokens: totals.inputTokens,
        outputTokens: totals.outputTokens,
        totalCost: totals.isPriced ? totals.cost.toFixed() : null,
      },
      ...(execution.parentExecutionId === null
        ? { removeFromIndex: 2 as const }
        : { index: childRunIndex(execution) }),
    },
    isOpen,
  );
}

/** Commit it with the fact `pause`. The sweep looks at the run again when the first wait is over. */
export function pausedWrite(
  { table }: Scope,
  execution: AgentExecution,
  { waits }: PauseFact,
  activeMs: number,
): Write {
  const leaseUntil = waits.map(({ until }) => until).sort()[0] as string;
  return table.writes.update(
    agentExecutionEntity,
    { id: execution.id },
    {
      set: { status: 'paused', leaseUntil, activeMs },
      index: openRunIndex({ ...execution, leaseUntil }),
    },
    isOpen,
  );
}

/** Commit it with the fact `continue`. */
export function continuedWrite({ table, now }: Scope, execution: AgentExecution, holder: string): Write {
  const leaseUntil = leaseFrom(now());
  return table.writes.update(
    agentExecutionEntity,
    { id: execution.id },
    { set: { status: 'running', leaseUntil, holder }, index: openRunIndex({ ...execution, leaseUntil }) },
    isPaused,
  );
}

/** Gives a run back that another process may continue at once. */
export async function releaseRun(
  { table }: Scope,
  { id, holder }: Pick<AgentExecution, 'id' | 'holder'>,
  activeMs?: number,
): Promise<void> {
  const write = table.writes.update(
    agentExecutionEntity,
    { id },
    { set: { holder: '', activeMs } },
    { expression: '#holder = :former', values: { former: holder } },
  );
  await table.commit([write]).catch(ifRefused(undefined));
}

/** The sweep looks at the run again at a time, unless a process takes it before. */
export async function postponeRunSweep(
  { table }: Scope,
  execution: AgentExecution,
  leaseUntil: string,
): Promise<void> {
  const write = table.writes.update(
    agentExecutionEntity,
    { id: execution.id },
    { index: openRunIndex({ ...execution, leaseUntil }) },
    {
      expression: '#leaseUntil = :former AND (#summary.#status = :running OR #summary.#status = :paused)',
      values: { former: execution.leaseUntil, running: 'running', paused: 'paused' },
    },
  );
  await table.commit([write]).catch(ifRefused(undefined));
}
