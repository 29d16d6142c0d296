import type { Run } from '../../domain/runs/run.ts';
import { stillDeleted } from '../../platform/cleanup/tombstone.ts';
import type { Scope } from '../../platform/data/scope.ts';

/** A run goes with its flow or agent, whose removal may take a while. */
export async function withoutDeletedRuns(
  { table }: Pick<Scope, 'table'>,
  runs: readonly Run[],
): Promise<Run[]> {
  const ids = [...new Set(runs.flatMap(({ flowId, agentId }) => [flowId, agentId]))].filter(
    (id) => id !== undefined,
  );
  if (ids.length === 0) return [...runs];
  const deleted = new Set(await stillDeleted(table, ids));
  return runs.filter(({ flowId = '', agentId = '' }) => !deleted.has(flowId) && !deleted.has(agentId));
}
