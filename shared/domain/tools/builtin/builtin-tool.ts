import * as z from 'zod';
import type { JsonSchema } from '../../../adapters/ports/model-port.ts';
import type { Permission } from '../../../platform/identity/permissions.ts';

export interface BuiltinTool<Id extends string = string, Parameters extends z.ZodObject = z.ZodObject> {
  id: Id;
  name: string;
  /** For the model that chooses the tool, too. */
  description: string;
  category: 'web' | 'code' | 'data' | 'time' | 'messages';
  /** The services that it uses, one of which must be configured; empty if it needs none. */
  services: readonly string[];
  /** What running it takes in addition to TOOLS:EXECUTE; null if nothing. */
  permission: Permission | null;
  /** True if a call has effects outside of the run. */
  effects: boolean;
  /** True if a call may be made again after an earlier one with the same arguments was interrupted. */
  repeatable: boolean;
  /** True if its arguments may contain `{{secret:KEY}}`. */
  takesSecrets: false;
  /** The arguments, with bounds. */
  parameters: Parameters;
  /** The values of the arguments that a call leaves out. */
  defaultConfig: Readonly<Record<string, unknown>>;
  documentationUrl: string | null;
}

/** Declares a built-in tool. Its runner is in `execution/tools/builtin`, under the same name. */
export const defineBuiltinTool = <Id extends string, Parameters extends z.ZodObject>(
  declared: BuiltinTool<Id, Parameters>,
) => declared;

const schemas = new WeakMap<BuiltinTool, JsonSchema>();

export function schemaOfBuiltin(tool: BuiltinTool): JsonSchema {
  const cached = schemas.get(tool);
  if (cached) return cached;
  const { $schema: _draft, ...schema } = z.toJSONSchema(tool.parameters, { io: 'input' });
  schemas.set(tool, schema);
  return schema;
}

/** Each has its JSON Schema and whether it is required: the form that the contract gives for built-in tools. */
export function parametersOfBuiltin(tool: BuiltinTool): Record<string, Record<string, unknown>> {
  const { properties = {}, required = [] } = schemaOfBuiltin(tool) as {
    properties?: Record<string, object>;
    required?: string[];
  };
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [
      name,
      { ...schema, isRequired: required.includes(name) },
    ]),
  );
}
