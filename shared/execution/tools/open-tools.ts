import { schemaProblems } from '../../adapters/json-schema/json-schema.ts';
import type { Ports } from '../../adapters/ports/ports.ts';
import type { StoredTool, ToolDefinition } from '../../adapters/ports/tools-port.ts';
import { missingPermission } from '../../core/errors/errors.ts';
import { StepError } from '../../core/errors/step-error.ts';
import { builtinIdIn } from '../../domain/flows/steps/tool-reference.ts';
import { findBuiltinTool } from '../../domain/tools/builtin/index.ts';
import { getToolType } from '../../domain/tools/tool-types/index.ts';
import { findRuntimeType, runtimeConfigProblems } from '../../domain/tools/tool-types/runtime-types.ts';
import { covers, type Permission } from '../../platform/identity/permissions.ts';
import { runnableBuiltin } from './runnable-builtin.ts';
import { runnableStored } from './runnable-stored.ts';
import type { RunnableTool } from './runnable-tool.ts';
import { withUniqueNames } from './tool-name.ts';

export interface ToolContext {
  /** The permissions of the caller, to check; null if they were checked before, as those of a stored flow's author. */
  permissions: readonly string[] | null;
}

/**
 * In the order of the ids, with unique names. Reads all stored ones at once. @throws StepError for a tool that does not
 * exist, is not active or cannot run; ServiceError 403 if the caller may not run it.
 */
export async function openTools(
  ports: Ports,
  ids: readonly string[],
  context: ToolContext,
): Promise<RunnableTool[]> {
  const storedIds = [...new Set(ids.filter((id) => builtinIdIn(id) === undefined))];
  const stored = storedIds.length > 0 ? await ports.tools.find(storedIds) : new Map<string, StoredTool>();
  return withUniqueNames(
    ids.map((id) => {
      const builtinId = builtinIdIn(id);
      if (builtinId !== undefined) return openBuiltin(ports, id, builtinId, context);
      const tool = stored.get(id);
      if (!tool) throw new StepError(`There is no tool ${id}; create it, or remove the reference to it`);
      if (!tool.isActive)
        throw new StepError(`The tool "${tool.name}" (${id}) is not active; set isActive to true`);
      return openStored(ports, id, tool, context);
    }),
  );
}

/** A tool that a caller or a flow defines inline. @throws StepError also if the definition is not valid. */
export async function openRuntimeTool(
  ports: Ports,
  definition: ToolDefinition,
  context: ToolContext,
): Promise<RunnableTool> {
  const { name, toolType, parametersSchema, config } = definition;
  const type = findRuntimeType(toolType);
  if (!type) throw new StepError(`The tool "${name}" has the unknown type ${toolType}`);
  const configProblems = runtimeConfigProblems(type, config).map(
    ({ path, message }) => `${path}: ${message}`,
  );
  const schemaIssues = await schemaProblems(ports.sandbox, parametersSchema);
  const issues = [
    ...configProblems,
    ...schemaIssues.map(({ path, message }) => `parametersSchema${path && `.${path}`}: ${message}`),
  ];
  if (issues.length > 0) throw new StepError(`The tool "${name}" is not valid: ${issues.join('; ')}`);
  requirePermissions(context, type.permission);
  return runnableStored(ports, `runtime:${name}`, definition);
}

function openBuiltin(ports: Ports, id: string, builtinId: string, context: ToolContext): RunnableTool {
  const tool = findBuiltinTool(builtinId);
  if (!tool) throw new StepError(`There is no built-in tool ${builtinId}; GET /v1/tools/builtin lists them`);
  requirePermissions(context, tool.permission);
  return runnableBuiltin(ports, id, tool);
}

function openStored(ports: Ports, id: string, tool: ToolDefinition, context: ToolContext): RunnableTool {
  requirePermissions(context, getToolType(tool.toolType).permission);
  return runnableStored(ports, id, tool);
}

function requirePermissions({ permissions }: ToolContext, own: Permission | null): void {
  if (!permissions) return;
  for (const permission of ['TOOLS:EXECUTE', own] as const) {
    if (permission && !covers(permissions, permission)) throw missingPermission(permission);
  }
}
