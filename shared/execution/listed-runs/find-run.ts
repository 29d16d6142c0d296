import { notFound } from '../../core/errors/errors.ts';
import { getIdKind } from '../../core/ids.ts';
import { type Run, type RunKind, runEntity } from '../../domain/runs/run.ts';
import { using } from '../../platform/aws/uses.ts';
import { decode } from '../../platform/data/entity.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { agentExecutionEntity, toAgentRun } from '../agent-runs/agent-execution.ts';
import { batchFinder } from '../batches/batch-store.ts';
import { omitDeletedRuns } from './deleted-runs.ts';
import { addProgress } from './running-batches.ts';

/** A run by its id. @throws 404 if there is none of these kinds. */
export const runFinder = /* @__PURE__ */ using(
  ['table:read', batchFinder],
  (scope: Scope) =>
    async (id: string, kinds: readonly RunKind[]): Promise<Run> => {
      const run = await readListedRun(scope, id);
      const [found] = run && kinds.includes(run.kind) ? await omitDeletedRuns(scope, [run]) : [];
      const [shown] = found ? await addProgress(scope, [found]) : [];
      if (!shown) throw notFound('Run');
      return shown;
    },
);

/** One inside of another is listed at its end; until then an agent's is known by its execution. */
async function readListedRun({ table }: Scope, id: string): Promise<Run | undefined> {
  const keys = [runEntity.key({ id }), runEntity.key({ id, parentRunId: '?' })];
  const isExecution = getIdKind(id) === 'exec';
  const [root, inside, execution] = await table.getMany(
    [...keys, ...(isExecution ? [agentExecutionEntity.key({ id })] : [])],
    { consistent: true },
  );
  const row = root ?? inside;
  if (row) return decode(runEntity, row);
  if (!execution) return undefined;
  const agent = decode(agentExecutionEntity, execution);
  return agent.completedAt === null ? { ...toAgentRun(agent), status: agent.status } : undefined;
}
