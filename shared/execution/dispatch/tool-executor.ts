/**
 * Runs a tool by itself in front of a caller, and records the run.
 * Order of `execute`: open the tool with the ports and masks of the caller, plan its request (400 before anything is
 * recorded), list the run as running, call the tool within its time, then commit end, payloads, model usage and listing
 * in one transaction.
 * `test` shows the planned request first, and runs the tool only if asked to.
 * If somebody cancels the run between the last look and the commit, the condition fails and the end is committed as
 * cancelled. A crash leaves a running run; the sweep of hour marks ends it (`end-tool-run.ts`).
 */
import type { Ports } from '../../adapters/ports/ports.ts';
import type { StoredTool } from '../../adapters/ports/tools-port.ts';
import { getStartedIn, openSpan, runInSpan } from '../../core/active-span.ts';
import { conflict, invalid, missingPermission, notFound, ServiceError } from '../../core/errors/errors.ts';
import { StepError } from '../../core/errors/step-error.ts';
import { log } from '../../core/log.ts';
import { truncate } from '../../core/text.ts';
import { toTracedRun } from '../../core/trace-context.ts';
import { readBuiltinId } from '../../domain/flows/steps/tool-reference.ts';
import type { ModelCall } from '../../domain/model-usage/model-calls.ts';
import { usageWrites } from '../../domain/model-usage/usage.ts';
import { hourMarks } from '../../domain/runs/hour-marks.ts';
import { runEntity } from '../../domain/runs/run.ts';
import { runEnd } from '../../domain/runs/run-end.ts';
import { createRunWrite, isNotOver, runCancelled } from '../../domain/runs/run-list.ts';
import { originOfCall, type RunOrigin } from '../../domain/runs/run-origin.ts';
import { findBuiltinTool } from '../../domain/tools/builtin/index.ts';
import {
  type ToolContent,
  type ToolExecution,
  toolExecutionStore,
  toolFolder,
  toolPayloads,
} from '../../domain/tools/tool-run-store.ts';
import { toolStore } from '../../domain/tools/tool-store.ts';
import { using } from '../../platform/aws/uses.ts';
import { ConditionFailed } from '../../platform/data/condition-failed.ts';
import { payloadWriter } from '../../platform/data/payloads.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { WriteCondition } from '../../platform/data/writes.ts';
import { countResponseBytes, megabytes, responseBytesMax } from '../../platform/http/responses/body-sizes.ts';
import { covers } from '../../platform/identity/permissions.ts';
import type { Principal } from '../../platform/identity/principal.ts';
import { type ModelMeter, openMeter } from '../model-calls/pipeline.ts';
import { openPorts } from '../open-ports.ts';
import { watchCancellation } from '../runs/execution.ts';
import { type Masks, openMasks } from '../step-support/masks.ts';
import { ArgumentsError, callTool, type RunnableTool } from '../tools/call-tool.ts';
import { openTools } from '../tools/open-tools.ts';
import { toToolEnding, toToolRun } from './end-tool-run.ts';

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
    const run = toToolRun(execution, name, origin);
    const offload = (part: string, value: unknown) =>
      payloadWriter(scope, toolPayloads).offload(
        `${toolFolder(toolId)}/${id}-${part}`,
        value,
        inlineBytesMax,
      );
    let storedArguments: { value: unknown; stored: ToolContent } | undefined;

    /** Once more if it learned secrets that are in the arguments. */
    async function storeInput(): Promise<ToolContent | undefined> {
      const value = input?.();
      if (value === undefined) return undefined;
      if (storedArguments && JSON.stringify(storedArguments.value) === JSON.stringify(value))
        return storedArguments.stored;
      storedArguments = {
        value,
        stored: { input: await offload(storedArguments ? 'masked-input' : 'input', value) },
      };
      return storedArguments.stored;
    }

    async function commitEnd({ ended, notes = [], calls, flowId }: EndedToolRun, condition?: WriteCondition) {
      const { status, result, error = null } = ended;
      const before = storedArguments?.stored;
      const content = await storeInput();
      const output = content && result !== undefined ? await offload('output', result) : undefined;
      const executionTimeMs = Math.max(0, now().getTime() - Date.parse(startedAt));
      const over = { ...execution, status, error, executionTimeMs, ...(notes.length > 0 && { notes }) };
      const ending = { ...toToolEnding(over, calls), ...(condition && { condition }) };
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
        const content = await storeInput();
        const listed = createRunWrite(scope, run);
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
          return commitEnd({ ...what, ended: toCancelledEnd(what.ended) });
        }
      },
    };
  },
);

/** What the run of a tool ends with that a fault of the service has ended. */
const toFaultEnd = (error: unknown): ToolEnd => ({
  status: 'failed',
  error: error instanceof ServiceError ? error.message : 'The run failed because of an internal error',
});

export interface ToolRequest extends ToolCall {
  toolId: string;
  principal: Principal;
  /** Whether arguments and result are stored. */
  storeResults: boolean;
  context?: { flowExecutionId?: string | undefined; stepId?: string | undefined } | undefined;
}

export interface ToolRunResult {
  executionId: string;
  status: ToolEnd['status'] | 'pending';
  executionTimeMs: number;
  result?: unknown;
  error?: string;
}

interface Opened {
  id: string;
  name: string;
  tool: RunnableTool;
  meter: ModelMeter;
  masks: Masks;
  flowId: string | null;
}

/** Runs tools by themselves, in front of a caller. */
export const toolExecutor = /* @__PURE__ */ using([openPorts, toolStore, toolRunRecorder], (scope: Scope) => {
  /** @throws ServiceError 404, 409 if it is not active, 403 */
  async function open({ toolId, principal }: ToolRequest, runId: string): Promise<Opened> {
    const { permissions, userId, organizationId } = principal;
    const stored = await findStoredTool(scope, toolId);
    const masks = openMasks(
      openPorts(scope, { userId, organizationId, runId, origin: originOfCall(principal) }),
    );
    const meter = openMeter(masks.ports);
    // The tool itself is not read again; a flow may run others.
    const tools: Ports['tools'] = {
      find: async (ids) =>
        stored && ids.every((id) => id === toolId)
          ? new Map([[toolId, stored]])
          : meter.ports.tools.find(ids),
    };
    const [tool] = await openTools({ ...meter.ports, tools }, [toolId], { permissions });
    if (!tool) throw new Error('The tool was not opened');
    const name = stored?.name ?? tool.name;
    const flowId = (stored?.config.flowId as string | undefined) ?? null;
    return { id: runId, name, tool, meter, masks, flowId };
  }

  async function run(request: ToolRequest, opened: Opened): Promise<ToolRunResult> {
    const { id, name, tool, meter, masks, flowId } = opened;
    const { principal, parameters, storeResults } = request;
    const startedAt = scope.now();
    const execution = toToolExecution(request, { id, startedAt });
    const span = openSpan(toTracedRun(id, execution.startedIn), '', startedAt.getTime());
    // The caller's text: ordinary words in it are no secrets.
    const maskArguments = () => masks.outcome({ output: { parameters } }, { keys: [], use: 'text' }).output;
    const input = storeResults ? maskArguments : undefined;
    const record = toolRunRecorder(scope, { execution, name, origin: originOfCall(principal), input });
    const end = (ended: ToolEnd) => record.end({ ended, notes: span.notes, calls: meter.calls(), flowId });
    using cancelled = watchCancellation(scope, { id });
    let isListed = false;
    const onPlanned = async () => {
      await record.begin();
      isListed = true;
    };
    const watch = { onPlanned, cancelled: cancelled.signal };
    const ended = await runInSpan(span, () => runToEnd(request, tool, watch)).catch(async (error) => {
      const logUnrecorded = (failure: unknown) =>
        log.error('The end of a run could not be recorded', { error: failure });
      if (isListed) await end(toFaultEnd(error)).catch(logUnrecorded);
      throw error;
    });
    const { executionTimeMs, ...result } = await end(ended);
    request.signal.throwIfAborted();
    return { executionId: id, executionTimeMs, ...result };
  }

  return {
    /** Runs the tool and records that. @throws ServiceError 400 if the arguments do not fit */
    async execute(request: ToolRequest): Promise<ToolRunResult> {
      return run(request, await open(request, scope.newId('toolrun')));
    },

    /** Shows what a run would send, and runs the tool if asked to. */
    async test(request: ToolRequest, executes: boolean): Promise<ToolRunResult> {
      if (!covers(request.principal.permissions, 'TOOLS:READ')) throw missingPermission('TOOLS:READ');
      const opened = await open(request, scope.newId('toolrun'));
      const { id, tool } = opened;
      const preview = await previewTool(request, tool);
      if ('error' in preview) return { executionId: id, executionTimeMs: 0, status: 'failed', ...preview };
      if (!executes) return { executionId: id, executionTimeMs: 0, status: 'pending', result: preview };
      const { result: output, ...answer } = await run(request, opened);
      return { ...answer, result: { ...preview, ...(output !== undefined && { output }) } };
    },
  };
});

/** As it begins. */
const toToolExecution = (
  { toolId, principal, context }: ToolRequest,
  { id, startedAt }: { id: string; startedAt: Date },
): ToolExecution => ({
  id,
  toolId,
  status: 'running',
  executionTimeMs: 0,
  startedAt: startedAt.toISOString(),
  error: null,
  userId: principal.userId,
  keyId: principal.keyId,
  flowExecutionId: context?.flowExecutionId ?? null,
  stepId: context?.stepId ?? null,
  ...getStartedIn(),
});

/** Undefined for a built-in tool. @throws ServiceError 404, 409 if it is not active */
async function findStoredTool(scope: Scope, toolId: string): Promise<StoredTool | undefined> {
  const builtinId = readBuiltinId(toolId);
  if (builtinId !== undefined) {
    if (!findBuiltinTool(builtinId)) throw notFound('Tool');
    return undefined;
  }
  const tool = await toolStore(scope).get(toolId);
  if (!tool.isActive) throw conflict('The tool is not active; set isActive to true');
  return tool;
}

interface ToolCall {
  parameters: Record<string, unknown>;
  timeMs: number;
  signal: AbortSignal;
}

const errorCharactersMax = 1_000;
/** Of a response that also holds a result. */
const requestBytesMax = 1_000_000;

/** What a run would send, or why it cannot run. @throws ServiceError 400 for arguments that do not fit */
async function previewTool({ parameters, signal }: ToolCall, tool: RunnableTool) {
  try {
    const request = await tool.preview(parameters, signal);
    if (countResponseBytes(request) <= requestBytesMax) return { request };
    return { error: `The request takes more than ${megabytes(requestBytesMax)} of a response` };
  } catch (error) {
    return toFailure(error);
  }
}

interface ToolEnd {
  status: Exclude<ToolExecution['status'], 'running'>;
  result?: unknown;
  error?: string;
}

interface ToolWatch {
  /** Called when the arguments fit, before the tool does anything. */
  onPlanned: () => Promise<void>;
  /** Aborted when somebody cancels the run. */
  cancelled: AbortSignal;
}

/**
 * Runs the tool to its end, at most until its time limit. @throws ServiceError 400 for arguments that do not fit, before
 * `onPlanned` is called
 */
async function runToEnd(
  { parameters, timeMs, signal }: ToolCall,
  tool: RunnableTool,
  { onPlanned, cancelled }: ToolWatch,
): Promise<ToolEnd> {
  const timeout = AbortSignal.timeout(timeMs);
  const ended = AbortSignal.any([signal, timeout, cancelled]);
  let mayStand = false;
  const begin = async () => {
    await onPlanned();
    mayStand = !tool.repeatable;
  };
  const createStop = (status: 'cancelled' | 'failed', why: string): ToolEnd => ({
    status,
    error: mayStand ? `${why}. ${sentBefore}` : why,
  });
  try {
    const outcome = await callTool(tool, parameters, ended, undefined, begin);
    if ('awaitsCaller' in outcome) return { status: 'waiting_for_local' };
    if (countResponseBytes(outcome.output) > responseBytesMax) {
      throw new StepError(`The result takes more than ${megabytes(responseBytesMax)} of a response`);
    }
    return { status: 'success', result: outcome.output ?? null };
  } catch (error) {
    if (cancelled.aborted) return createStop('cancelled', runCancelled);
    if (signal.aborted) return createStop('cancelled', 'The caller disconnected');
    if (timeout.aborted) return createStop('failed', describeTimeout(timeMs));
    return { status: 'failed', ...toFailure(error) };
  }
}

const sentBefore = 'What it had already sent may have taken effect';
const describeTimeout = (timeMs: number) =>
  `The tool exceeded its time limit of ${Math.round(timeMs / 1_000)} s`;

/** It had ended when somebody cancelled the run, and its process had not looked yet. */
const toCancelledEnd = ({ status, result, error }: ToolEnd): ToolEnd => ({
  status: 'cancelled',
  error: `${runCancelled}. ${error === undefined ? 'The tool had done its work' : `The tool had failed: ${error}`}`,
  ...(status === 'success' && { result }),
});

/** A failure of the tool in words. @throws ServiceError 400 for arguments that do not fit; all that is no failure */
function toFailure(error: unknown): { error: string } {
  if (error instanceof ArgumentsError) {
    throw invalid(
      error.problems.map(({ path, message }) => ({
        path: path ? `parameters.${path}` : 'parameters',
        code: message === 'Required' ? 'MISSING_REQUIRED_FIELD' : 'INVALID_VALUE',
        message,
      })),
    );
  }
  if (!(error instanceof StepError)) throw error;
  log.info('A tool failed', { error: error.message });
  return { error: truncate(error.message, errorCharactersMax) };
}
