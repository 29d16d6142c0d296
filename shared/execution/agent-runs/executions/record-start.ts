import { listedRunWrite, listRun, unlistRun } from '../../../domain/runs/run-list.ts';
import type { Scope } from '../../../platform/data/scope.ts';
import type { Write } from '../../../platform/data/writes.ts';
import { type AgentExecution, agentExecutionEntity, runOfAgent } from './agent-execution.ts';

/** Records that a run starts, and lists it unless it is inside of another run. */
export async function recordStart(
  scope: Scope,
  execution: AgentExecution,
  { isNewId, alsoWrite }: { isNewId: boolean; alsoWrite: readonly Write[] },
): Promise<void> {
  const { table } = scope;
  const started = table.writes.insert(agentExecutionEntity, execution);
  const run = runOfAgent(execution);
  if (execution.parentExecutionId !== null) return table.commit([started, ...alsoWrite]);
  // Nobody else can have a new id, and nothing but the two is written.
  if (isNewId && alsoWrite.length === 0) return table.insertAll([started, listedRunWrite(scope, run)]);
  const listing = listRun(scope, run);
  try {
    await table.commit([started, ...alsoWrite]);
  } catch (error) {
    await listing;
    if (!(await table.get(agentExecutionEntity, { id: execution.id }))) await unlistRun(scope, run);
    throw error;
  }
  await listing;
}
