import type { Ports } from '../../adapters/ports/ports.ts';
import type { StoredTool } from '../../adapters/ports/tools-port.ts';
import { conflict, missingPermission, notFound } from '../../core/errors/errors.ts';
import { inSpan, openSpan, startedIn } from '../../core/tracing/active-span.ts';
import { tracedRun } from '../../core/tracing/trace-context.ts';
import { builtinIdIn } from '../../domain/flows/steps/tool-reference.ts';
import { usageWrites } from '../../domain/model-usage/usage.ts';
import { runEnd } from '../../domain/runs/run-end.ts';
import { originOfCall } from '../../domain/runs/run-origin.ts';
import { findBuiltinTool } from '../../domain/tools/builtin/index.ts';
import { type ToolExecution, toolExecutionStore } from '../../domain/tools/tool-execution.ts';
import { toolStore } from '../../domain/tools/tool-store.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { covers } from '../../platform/identity/permissions.ts';
import type { Principal } from '../../platform/identity/principal.ts';
import { livePorts } from '../live-ports.ts';
import { type ModelMeter, openMeter } from '../model-costs/model-meter.ts';
import { openTools } from '../tools/open-tools.ts';
import type { RunnableTool } from '../tools/runnable-tool.ts';
import { type ToolCall, toolEnd, toolPreview } from './tool-end.ts';
import { endingOfTool, runOfTool } from './tool-run-listing.ts';

export interface ToolRequest extends ToolCall {
  toolId: string;
  principal: Principal;
  context?: { flowExecutionId?: string | undefined; stepId?: string | undefined } | undefined;
}

export interface ToolRunResult {
  executionId: string;
  status: ToolExecution['status'] | 'pending';
  executionTimeMs: number;
  result?: unknown;
  error?: string;
}

interface Opened {
  id: string;
  name: string;
  tool: RunnableTool;
  meter: ModelMeter;
  flowId: string | null;
}

/** Runs tools by themselves, in front of a caller. */
export const toolExecutor = /* @__PURE__ */ using(
  [livePorts, toolStore, toolExecutionStore],
  (scope: Scope) => {
    const executions = toolExecutionStore(scope);

    /** @throws ServiceError 404, 409 if it is not active, 403 */
    async function open({ toolId, principal }: ToolRequest, runId: string): Promise<Opened> {
      const { permissions, userId, organizationId } = principal;
      const stored = await storedTool(scope, toolId);
      const meter = openMeter(
        livePorts(scope, { userId, organizationId, runId, origin: originOfCall(principal) }),
      );
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
      return { id: runId, name, tool, meter, flowId: (stored?.config.flowId as string | undefined) ?? null };
    }

    async function run(
      request: ToolRequest,
      { id, name, tool, meter, flowId }: Opened,
    ): Promise<ToolRunResult> {
      const { toolId, principal, context } = request;
      const startedAt = scope.now();
      const origin = startedIn();
      const span = openSpan(tracedRun(id, origin.startedIn), '', startedAt.getTime());
      const ended = await inSpan(span, () => toolEnd(request, tool));
      const executionTimeMs = Math.max(0, scope.now().getTime() - startedAt.getTime());
      const execution = {
        id,
        toolId,
        status: ended.status,
        executionTimeMs,
        startedAt: startedAt.toISOString(),
        error: ended.error ?? null,
        userId: principal.userId,
        keyId: principal.keyId,
        flowExecutionId: context?.flowExecutionId ?? null,
        stepId: context?.stepId ?? null,
        ...(span.notes.length > 0 && { notes: span.notes }),
        ...origin,
      };
      const calls = meter.calls();
      const run = { ...runOfTool(execution, name), ...originOfCall(principal) };
      const listed = await runEnd(scope, run, endingOfTool(execution, calls));
      await executions.record(execution, [...usageWrites(scope, [{ flowId, calls }]), ...listed.writes]);
      await listed.send();
      return { executionId: id, executionTimeMs, ...ended };
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
        const seen = await toolPreview(request, tool);
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
    if (!findBuiltinTool(builtinId)) throw notFound('Tool');
    return undefined;
  }
  const tool = await toolStore(scope).get(toolId);
  if (!tool.isActive) throw conflict('The tool is not active; set isActive to true');
  return tool;
}
