import { ServiceError } from '../../core/errors/errors.ts';
import type { ModelCall } from '../../domain/model-usage/model-calls.ts';
import { usageWrites } from '../../domain/model-usage/usage.ts';
import { hourMarks } from '../../domain/runs/hour-marks.ts';
import { runEntity } from '../../domain/runs/run.ts';
import { runEnd } from '../../domain/runs/run-end.ts';
import { isNotOver, listedRunWrite } from '../../domain/runs/run-list.ts';
import type { RunOrigin } from '../../domain/runs/run-origin.ts';
import {
  type ToolContent,
  type ToolExecution,
  toolExecutionStore,
  toolFolder,
  toolPayloads,
} from '../../domain/tools/tool-execution.ts';
import { using } from '../../platform/aws/uses.ts';
import { ConditionFailed } from '../../platform/data/condition-failed.ts';
import { payloadWriter } from '../../platform/data/payloads.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { WriteCondition } from '../../platform/data/writes.ts';
import { cancelledAfter, type ToolEnd } from './tool-end.ts';
import { endingOfTool, runOfTool } from './tool-run-listing.ts';

export interface RecordedToolRun {
  /** As it begins: running. */
  execution: ToolExecution;
  name: string;
  origin: RunOrigin;
  /** The arguments, masked with the secrets that are known by now. Undefined if they and the result are not to be stored. */
  input: (() => unknown) | undefined;
}

interface EndedToolRun {
  ended: ToolEnd;
  notes: ToolExecution['notes'];
  calls: readonly ModelCall[];
  flowId: string | null;
}

/** Larger values are objects in the bucket, as those of steps. */
const inlineBytesMax = 90_000;

/** Lists the run of a tool while it runs, with its arguments, and ends it once, with what came of it. */
export const toolRunRecorder = /* @__PURE__ */ using(
  ['table:write', toolExecutionStore, payloadWriter, runEnd],
  (scope: Scope, { execution, name, origin, input }: RecordedToolRun) => {
    const { table, now } = scope;
    const { id, toolId, startedAt } = execution;
    const executions = toolExecutionStore(scope);
    const run = runOfTool(execution, name, origin);
    const offload = (part: string, value: unknown) =>
      payloadWriter(scope, toolPayloads).offload(
        `${toolFolder(toolId)}/${id}-${part}`,
        value,
        inlineBytesMax,
      );
    let given: { value: unknown; stored: ToolContent } | undefined;

    /** Once more if it learned secrets that are in the arguments. */
    async function storedInput(): Promise<ToolContent | undefined> {
      const value = input?.();
      if (value === undefined) return undefined;
      if (given && JSON.stringify(given.value) === JSON.stringify(value)) return given.stored;
      given = { value, stored: { input: await offload(given ? 'masked-input' : 'input', value) } };
      return given.stored;
    }

    async function commitEnd({ ended, notes = [], calls, flowId }: EndedToolRun, condition?: WriteCondition) {
      const { status, result, error = null } = ended;
      const before = given?.stored;
      const content = await storedInput();
      const output = content && result !== undefined ? await offload('output', result) : undefined;
      const executionTimeMs = Math.max(0, now().getTime() - Date.parse(startedAt));
      const over = { ...execution, status, error, executionTimeMs, ...(notes.length > 0 && { notes }) };
      const ending = { ...endingOfTool(over, calls), ...(condition && { condition }) };
      const { writes, send } = await runEnd(scope, run, ending);
      const isStored = content === before && !output;
      const stored = content && !isStored ? { ...content, ...(output && { output }) } : undefined;
      await table.commit([
        ...executions.writes(over, stored),
        ...usageWrites(scope, [{ flowId, calls }]),
        ...writes,
      ]);
      await send();
      return { ...ended, executionTimeMs };
    }

    return {
      async begin(): Promise<void> {
        const content = await storedInput();
        const listed = listedRunWrite(scope, run);
        const start = table.commit([listed, ...executions.writes(execution, content)]);
        // What crashes is found by its hour.
        await Promise.all([hourMarks(scope)(startedAt), start]);
      },

      /** Ends it, and as cancelled if somebody has cancelled it since its process last looked. */
      async end(what: EndedToolRun): Promise<ToolEnd & { executionTimeMs: number }> {
        if (what.ended.status === 'cancelled') return commitEnd(what);
        try {
          return await commitEnd(what, isNotOver);
        } catch (failure) {
          if (!(failure instanceof ConditionFailed)) throw failure;
          const stored = await table.get(runEntity, { id }, { consistent: true });
          if (stored?.status !== 'cancelled') throw failure;
          return commitEnd({ ...what, ended: cancelledAfter(what.ended) });
        }
      },
    };
  },
);

/** What the run of a tool ends with that a fault of the service has ended. */
export const endByFault = (error: unknown): ToolEnd => ({
  status: 'failed',
  error: error instanceof ServiceError ? error.message : 'The run failed because of an internal error',
});
