/**
 * Opens tools by id or definition: loads them, checks the caller's permissions, and makes them runnable.
 * A stored tool's plan fills its config with secrets at the last moment; they leave the call only where the config
 * sends them. Errors, outputs and previews are masked. Arguments are checked against the schema, without coercion;
 * those of built-in tools against their own declaration, which needs no sandbox.
 * All stored tools are read at once, and names are made unique in the order of the ids. A tool that cannot run is an
 * error at once and not at its first call.
 * `open-configured-tools.ts` opens those of a config; steps, agents and `dispatch/tool-executor.ts` open theirs
 * here.
 */
import { schemaProblems } from '../../adapters/json-schema/json-schema.ts';
import type { JsonSchema } from '../../adapters/ports/model-port.ts';
import type { Ports } from '../../adapters/ports/ports.ts';
import type { StoredTool, ToolDefinition } from '../../adapters/ports/tools-port.ts';
import { createFiller } from '../../adapters/templates/filler.ts';
import { missingPermission } from '../../core/errors/errors.ts';
import { StepError } from '../../core/errors/step-error.ts';
import { readBuiltinId } from '../../domain/flows/steps/tool-reference.ts';
import { type BuiltinTool, schemaOfBuiltin } from '../../domain/tools/builtin/builtin-tool.ts';
import { findBuiltinTool } from '../../domain/tools/builtin/index.ts';
import { secretKeysOfTool } from '../../domain/tools/secret-keys.ts';
import { getToolType } from '../../domain/tools/tool-types/index.ts';
import { findRuntimeType, runtimeConfigProblems } from '../../domain/tools/tool-types/runtime-types.ts';
import { covers, type Permission } from '../../platform/identity/permissions.ts';
import { type Masks, type NamedSecrets, openMasks, pickOpenedValues } from '../step-support/masks.ts';
import { type AnyToolRunner, mask, type ToolPlanning } from '../tool-support/tool-runner.ts';
import { loadBuiltinRunner } from './builtin/index.ts';
import {
  ArgumentsError,
  checkArguments,
  nameToolInErrors,
  type PlannedCall,
  pickOwnArguments,
  type RunnableTool,
  runTool,
} from './call-tool.ts';
import { makeNamesUnique, toToolName } from './tool-name.ts';
import { findToolRunner } from './types/index.ts';

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
  const storedIds = [...new Set(ids.filter((id) => readBuiltinId(id) === undefined))];
  const stored = storedIds.length > 0 ? await ports.tools.find(storedIds) : new Map<string, StoredTool>();
  return makeNamesUnique(
    ids.map((id) => {
      const builtinId = readBuiltinId(id);
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
  return toRunnableStored(ports, `runtime:${name}`, definition);
}

function openBuiltin(ports: Ports, id: string, builtinId: string, context: ToolContext): RunnableTool {
  const tool = findBuiltinTool(builtinId);
  if (!tool) throw new StepError(`There is no built-in tool ${builtinId}; GET /v1/tools/builtin lists them`);
  requirePermissions(context, tool.permission);
  return toRunnableBuiltin(ports, id, tool);
}

function openStored(ports: Ports, id: string, tool: ToolDefinition, context: ToolContext): RunnableTool {
  requirePermissions(context, getToolType(tool.toolType).permission);
  return toRunnableStored(ports, id, tool);
}

function requirePermissions({ permissions }: ToolContext, ofTool: Permission | null): void {
  if (!permissions) return;
  for (const permission of ['TOOLS:EXECUTE', ofTool] as const) {
    if (permission && !covers(permissions, permission)) throw missingPermission(permission);
  }
}

/** A tool that a tenant defined. The values of its secrets do not leave a call, except where its config sends them. */
function toRunnableStored(ports: Ports, id: string, tool: ToolDefinition): RunnableTool {
  const { config, description, toolType: type } = tool;
  const name = toToolName(tool.name);
  const parameters: JsonSchema = { ...tool.parametersSchema, type: 'object' };
  const secretKeys = secretKeysOfTool(tool);
  const named: NamedSecrets = { keys: secretKeys, use: findRuntimeType(type)?.takesSecrets || 'text' };

  const toPlanning = (
    args: Record<string, unknown>,
    secrets: Record<string, string>,
  ): ToolPlanning<unknown> => {
    const variables = { ...args, input: args, ...(secretKeys.length > 0 && { secrets }) };
    return { name, config, args, variables, ...createFiller(variables, ports.sandbox), ports };
  };

  async function plan(rawArguments: unknown, signal: AbortSignal): Promise<PlannedCall> {
    const runner = findRunner(name, type);
    const args = await checkArguments(ports, { name, parameters }, rawArguments, signal);
    const masks = secretKeys.length > 0 ? openMasks(ports) : undefined;
    const opened = await masks?.ports.secrets(secretKeys);
    const maskCall = <Result>(work: () => Promise<Result> | Result) => maskErrors(masks, named, work);
    const planned = await nameToolInErrors(name, () =>
      maskCall(() => runner.plan(toPlanning(args, opened ? pickOpenedValues(opened, secretKeys) : {}))),
    );
    const inside = masks?.ports ?? ports;
    return {
      ...planned,
      perform: (call) =>
        runTool(name, async () => {
          const outcome = await maskCall(() =>
            runner.perform(planned.request, { config, signal, ports: inside, callId: call?.id }),
          );
          return masks && 'output' in outcome ? masks.outcome(outcome, named) : outcome;
        }),
    };
  }

  async function preview(rawArguments: unknown, signal: AbortSignal): Promise<object> {
    const runner = findRunner(name, type);
    const args = await checkArguments(ports, { name, parameters }, rawArguments, signal);
    const { request } = await runner.plan(toPlanning(args, maskKeys(secretKeys)));
    return runner.shown?.(request, config) ?? request;
  }

  const repeatable = findToolRunner(type)?.repeatable(config) ?? false;
  return { id, name, description, parameters, type, repeatable, plan, preview };
}

const maskKeys = (keys: readonly string[]) => Object.fromEntries(keys.map((key) => [key, mask]));

function findRunner(name: string, type: string): AnyToolRunner {
  const runner = findToolRunner(type);
  if (runner) return runner;
  throw new StepError(`The tool ${name} has the type ${type}, which this service cannot run yet`);
}

async function maskErrors<Result>(
  masks: Masks | undefined,
  named: NamedSecrets,
  work: () => Promise<Result> | Result,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw masks ? masks.error(error, { ...named, use: 'text' }) : error;
  }
}

function toRunnableBuiltin(ports: Ports, id: string, tool: BuiltinTool): RunnableTool {
  const name = toToolName(tool.id);
  const parameters = schemaOfBuiltin(tool);

  /** Our own declaration needs no sandbox. Its JSON Schema says what does not fit in the words of all tools. */
  async function parseArguments(args: unknown, signal: AbortSignal) {
    const { data, error } = pickOwnArguments(tool.parameters, args);
    if (!error) return data;
    await checkArguments(ports, { name, parameters }, args, signal);
    // A schema in JSON cannot express every rule of the declaration.
    const problems = error.issues.map(({ path, message }) => ({ path: path.join('.'), message }));
    throw new ArgumentsError(name, problems);
  }

  return {
    id,
    name,
    description: tool.description,
    parameters,
    type: 'builtin',
    repeatable: tool.repeatable,
    async plan(rawArguments, signal) {
      const args = await parseArguments(rawArguments, signal);
      return {
        request: { toolId: id, arguments: args },
        perform: () =>
          runTool(name, async () => (await loadBuiltinRunner(tool.id)).perform(args, { ports, signal })),
      };
    },
    preview: async (args, signal) => ({ toolId: id, arguments: await parseArguments(args, signal) }),
  };
}

/** Separates the tools with a schema that providers reject, which would fail the whole request to a model. */
export async function filterUsableSchemas<T extends { name: string; parameters: JsonSchema }>(
  { sandbox }: Pick<Ports, 'sandbox'>,
  tools: readonly T[],
  signal: AbortSignal,
): Promise<{ usable: T[]; unusable: string[] }> {
  const checked = await Promise.all(
    tools.map(async (tool) => ({
      tool,
      problems: await schemaProblems(sandbox, tool.parameters, { signal }),
    })),
  );
  return {
    usable: checked.flatMap(({ tool, problems }) => (problems.length === 0 ? [tool] : [])),
    unusable: checked.flatMap(({ tool, problems: [problem] }) =>
      problem ? [`the schema of ${tool.name} is not valid: ${problem.message}`] : [],
    ),
  };
}
