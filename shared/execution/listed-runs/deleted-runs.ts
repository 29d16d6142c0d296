import { readBuiltinId } from '../../domain/flows/steps/tool-reference.ts';
import type { Run } from '../../domain/runs/run.ts';
import { filterDeleted } from '../../platform/cleanup/tombstone.ts';
import type { Scope } from '../../platform/data/scope.ts';

/** A run goes with its flow, agent or tool, whose removal may take a while. */
export async function omitDeletedRuns({ table }: Pick<Scope, 'table'>, runs: readonly Run[]): Promise<Run[]> {
  const owners = runs.flatMap(({ flowId = [], agentId = [], toolId = [] }) =>
    [flowId, agentId, toolId].flat(),
  );
  const ids = [...new Set(owners)].filter((id) => readBuiltinId(id) === undefined);
  if (ids.length === 0) return [...runs];
  const deleted = new Set(await filterDeleted(table, ids));
  return runs.filter(
    ({ flowId = '', agentId = '', toolId = '' }) => ![flowId, agentId, toolId].some((id) => deleted.has(id)),
  );
}
