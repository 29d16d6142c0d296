import { combineNotifications } from '../../domain/deliveries/end-notice.ts';
import { createRunNotification, runEnd } from '../../domain/runs/run-end.ts';
import type { RunEnding } from '../../domain/runs/run-list.ts';
import { noTotals } from '../../domain/runs/run-use.ts';
import { using } from '../../platform/aws/uses.ts';
import { filterDeleted } from '../../platform/cleanup/tombstone.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { exists, type Write } from '../../platform/data/writes.ts';
import { closeExecution, type Execution, executionEntity } from '../runs/execution.ts';
import { toFlowEnding, toFlowRun } from '../runs/flow-run-listing.ts';
import { readCheckpoints } from '../runs/read-checkpoints.ts';
import { openRunRecorder } from '../runs/run-recorder.ts';

/**
 * Ends a dispatched run that no process runs.
 * @throws ConditionFailed when the process of the run writes a checkpoint at the same time, or another one ends it.
 */
export const endExecution = /* @__PURE__ */ using(
  ['table:write', 'table:delete', 'payloads:read', 'payloads:write', 'queue:deliveries', runEnd],
  async (
    scope: Scope,
    execution: Execution,
    { status, error }: { status: 'failed' | 'cancelled'; error: string },
  ): Promise<void> => {
    const { table } = scope;
    const { id, flowName, flowId, recordId, surface } = execution;
    const close = closeExecution(table, id);
    const [earlier, deleted] = await Promise.all([
      readCheckpoints(scope, { runId: id, recordId }),
      filterDeleted(table, [flowId, ...(recordId ? [recordId] : [])]),
    ]);
    if (earlier.at(-1)?.end !== undefined) return table.commit([close]);
    const notice = await createRunNotification(scope, surface, {
      executionId: id,
      status,
      output: null,
      error,
    });
    const commit = async (writes: Write[], ended: Pick<RunEnding, 'at' | 'totals'>) => {
      const listed = await runEnd(scope, toFlowRun(execution), toFlowEnding({ ...ended, error }, status));
      const notices = combineNotifications(notice, listed);
      await table.commit([...writes, ...notices.writes]);
      await notices.send();
    };
    const [first] = earlier;
    // The cleanup of a deleted flow or record removes its runs. Of two sweeps, one tells the webhook.
    if (!first || deleted.length > 0) {
      const gone = table.writes.remove(executionEntity, { id }, exists);
      return commit([gone], { at: scope.now().toISOString(), totals: noTotals });
    }
    const {
      results: _results,
      rows: _rows,
      pointers: _pointers,
      models: _models,
      use: _use,
      ...rest
    } = first;
    const { recordMetadata: _metadata, input: _input, ...facts } = rest;
    const recorder = openRunRecorder(
      scope,
      { ...facts, flowName, recordMetadata: {} },
      ({ write, at, totals }) => commit([write, close], { at, totals }),
      { earlier },
    );
    await recorder.finish(error);
  },
);
