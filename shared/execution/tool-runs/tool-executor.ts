import type { StoredTool } from '../../adapters/ports.ts';
import { conflict, invalid, missingPermission, notFound } from '../../core/errors.ts';
import { log } from '../../core/log.ts';
import { StepError } from '../../core/step-error.ts';
import { truncate } from '../../core/text.ts';
import { builtinIdIn } from '../../domain/flows/steps/tool-reference.ts';
import { usageWrites } from '../../domain/model-usage/usage.ts';
import { builtinToolOf } from '../../domain/tools/builtin/index.ts';
import { type ToolExecution, toolExecutionStore } from '../../domain/tools/tool-execution.ts';
import { toolStore } from '../../domain/tools/tool-store.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { megabytes, responseBytes, responseBytesMax } from '../../platform/http/envelope.ts';
import { covers } from '../../platform/identity/permissions.ts';
import type { Principal } from '../../platform/identity/principal.ts';
import { type ModelMeter, openMeter } from '../engine/model-meter.ts';
import { livePorts } from '../live-ports.ts';
import { ArgumentsError } from '../tools/arguments-error.ts';
import { openTools } from '../tools/open-tools.ts';
import type { RunnableTool } from '../tools/runnable-tool.ts';

export interface ToolRequest {
  toolId: string;
  principal: Principal;
  parameters: Record<string, unknown>;
  context?: { flowExecutionId?: string | undefined; stepId?: string | undefined } | undefined;
  timeMs: number;
  signal: AbortSignal;
}

export interface ToolAnswer {
  executionId: string;
  status: ToolExecution['status'] | 'pending';
  executionTimeMs: number;
  result?: unknown;
  error?: string;
}

/** A tool, ready to run and to be counted. */
interface Opened {
  id: string;
  tool: RunnableTool;
  meter: ModelMeter;
  /** The flow that the tool runs. */
  flowId: string | null;
}

const errorCharactersMax = 1_000;
/** Of a response that also holds a result. */
const requestBytesMax = 1_000_000;

/** Runs tools by themselves, in front of a caller. */
export const toolExecutor = /* @__PURE__ */ using(
  [livePorts, toolStore, toolExecutionStore],
  (scope: Scope) => {
    const executions = toolExecutionStore(scope);

    /** @throws ServiceError 404, 409 if it is not active, 403 */
    async function open({ toolId, principal }: ToolRequest, runId: string): Promise<Opened> {
      const { permissions, userId, organizationId } = principal;
      const stored = await storedTool(scope, toolId);
      const meter = openMeter(livePorts(scope, { userId, organizationId, runId }));
      // Only this tool, so that it is not read again.
      const tools = { find: async () => new Map(stored && [[toolId, stored]]) };
      const [tool] = await openTools({ ...meter.ports, tools }, [toolId], { permissions });
      if (!tool) throw new Error('The tool was not opened');
      return { id: runId, tool, meter, flowId: (stored?.config.flowId as string | undefined) ?? null };
    }

    async function run(request: ToolRequest, { id, tool, meter, flowId }: Opened): Promise<ToolAnswer> {
      const { toolId, principal, parameters, context } = request;
      const startedAt = scope.now();
      const ended = await endOf(request, tool, parameters);
      const executionTimeMs = Math.max(0, scope.now().getTime() - startedAt.getTime());
      const execution = {
        ...{ id, toolId, status: ended.status, executionTimeMs, startedAt: startedAt.toISOString() },
        error: ended.error ?? null,
        ...{ userId: principal.userId, keyId: principal.keyId },
        ...{ flowExecutionId: context?.flowExecutionId ?? null, stepId: context?.stepId ?? null },
      };
      await executions.record(execution, usageWrites(scope, [{ flowId, calls: meter.calls() }]));
      return { executionId: id, executionTimeMs, ...ended };
    }

    return {
      /** Runs the tool and records that. @throws ServiceError 400 if the arguments do not fit */
      async execute(request: ToolRequest): Promise<ToolAnswer> {
        return run(request, await open(request, scope.newId('toolrun')));
      },

      /** Shows what a run would send, and runs the tool if asked to. */
      async test(request: ToolRequest, executes: boolean): Promise<ToolAnswer> {
        if (!covers(request.principal.permissions, 'TOOLS:READ')) throw missingPermission('TOOLS:READ');
        const opened = await open(request, scope.newId('toolrun'));
        const { id, tool } = opened;
        const seen = await previewOf(request, tool);
        if ('error' in seen) return { executionId: id, executionTimeMs: 0, status: 'failed', ...seen };
        if (!executes) return { executionId: id, executionTimeMs: 0, status: 'pending', result: seen };
        const { result: output, ...answer } = await run(request, opened);
        return { ...answer, result: { ...seen, ...(output !== undefined && { output }) } };
      },
    };
  },
);

/** Undefined for a built-in tool. @throws ServiceError 404, 409 if it is not active */
async function storedTool(scope: Scope, toolId: string): Promise<StoredTool | undefined> {
  const builtinId = builtinIdIn(toolId);
  if (builtinId !== undefined) {
    if (!builtinToolOf(builtinId)) throw notFound('Tool');
    return undefined;
  }
  const tool = await toolStore(scope).get(toolId);
  if (!tool.isActive) throw conflict('The tool is not active; set isActive to true');
  return tool;
}

async function previewOf({ parameters, signal }: ToolRequest, tool: RunnableTool) {
  try {
    const request = await tool.preview(parameters, signal);
    if (responseBytes(request) <= requestBytesMax) return { request };
    return { error: `The request takes more than ${megabytes(requestBytesMax)} of a response` };
  } catch (error) {
    return failureFor(error);
  }
}

type End = Pick<ToolAnswer, 'result' | 'error'> & { status: ToolExecution['status'] };

async function endOf(
  { timeMs, signal }: ToolRequest,
  tool: RunnableTool,
  parameters: Record<string, unknown>,
): Promise<End> {
  const timeout = AbortSignal.timeout(timeMs);
  try {
    const outcome = await tool.run(parameters, AbortSignal.any([signal, timeout]));
    if ('awaitsCaller' in outcome) return { status: 'waiting_for_local' };
    if (responseBytes(outcome.output) > responseBytesMax) {
      throw new StepError(`The result takes more than ${megabytes(responseBytesMax)} of a response`);
    }
    return { status: 'success', result: outcome.output ?? null };
  } catch (error) {
    signal.throwIfAborted();
    const seconds = Math.round(timeMs / 1_000);
    if (timeout.aborted)
      return { status: 'failed', error: `The tool exceeded its time limit of ${seconds} s` };
    return { status: 'failed', ...failureFor(error) };
  }
}

/** A failure of the tool in words. @throws ServiceError 400 for arguments that do not fit; all that is no failure */
function failureFor(error: unknown): { error: string } {
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
