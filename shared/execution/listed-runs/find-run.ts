import { conflict, ifCode, notFound } from '../../core/errors/errors.ts';
import { getIdKind } from '../../core/ids.ts';
import { readBuiltinId } from '../../domain/flows/steps/tool-reference.ts';
import { type Run, type RunKind, runEntity } from '../../domain/runs/run.ts';
import { runCancelled } from '../../domain/runs/run-list.ts';
import { using } from '../../platform/aws/uses.ts';
import { filterDeleted } from '../../platform/cleanup/tombstone.ts';
import { onConditionFailed } from '../../platform/data/condition-failed.ts';
import { decode } from '../../platform/data/entity.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { agentExecutionEntity, toAgentRun } from '../agent-runs/agent-execution.ts';
import { endRun } from '../agent-runs/sweep-runs.ts';
import { batchFinder } from '../batches/batch-store.ts';
import { batchCanceller } from '../batches/run-record.ts';
import { toolRunEnder } from '../direct-runs/end-tool-run.ts';
import { cancelExecution } from '../dispatch/end-execution.ts';

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

/** Cancels a run of any kind. @throws 409 if it is over. */
export const runCanceller = /* @__PURE__ */ using(
  [batchCanceller, cancelExecution, endRun, toolRunEnder],
  (scope: Scope) => {
    const cancelBatch = batchCanceller(scope);

    return async (run: Run): Promise<void> => {
      if (run.completedAt !== undefined) throw isOver();
      const batchId = run.kind === 'batch' ? run.id : run.batchId;
      const wasOpen = batchId
        ? cancelBatch(batchId).then(() => true, ifCode('CONFLICT', false))
        : run.kind === 'flow'
          ? cancelExecution(scope, run).then(() => true)
          : run.kind === 'tool'
            ? toolRunEnder(scope)
                .cancel(run)
                .then(() => true, onConditionFailed(false))
            : endRun(scope, run.id, { stopReason: 'cancelled', error: runCancelled });
      if (!(await wasOpen)) throw isOver();
    };
  },
);

const isOver = () => conflict('The run is over');

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

/** Running batches as their records stand now: two more requests, if there are any. */
export async function addProgress(scope: Scope, runs: readonly Run[]): Promise<Run[]> {
  const open = runs.filter(({ kind, completedAt }) => kind === 'batch' && completedAt === undefined);
  if (open.length === 0) return [...runs];
  const states = await batchFinder(scope).statesOf(open.map(({ id }) => id));
  return runs.map((run) => {
    const state = run.completedAt === undefined ? states.get(run.id) : undefined;
    if (!state) return run;
    const {
      status,
      totalRecords: total,
      processedRecords,
      failedRecords: failed,
      completedAt,
    } = state.progress;
    return {
      ...run,
      // Its records are in the queue.
      status: status === 'scheduled' && state.isPlanned ? 'running' : status,
      counts: { total, completed: processedRecords - failed, failed, cancelled: 0 },
      ...(completedAt && { completedAt }),
    };
  });
}
