import * as z from 'zod';
import { type BuiltinTool, schemaOfBuiltin } from '../../shared/domain/tools/builtin/builtin-tool.ts';
import type { ModelsByProvider } from '../../shared/domain/tools/models-with-tools.ts';

const JsonObject = z.record(z.string(), z.unknown());

export const BuiltinToolResponse = z
  .object({
    id: z.string(),
    name: z.string(),
    description: z.string(),
    category: z.string(),
    providers: z.array(z.string()).meta({ description: 'The model providers with models that can call it' }),
    parametersSchema: JsonObject,
    defaultConfig: JsonObject,
    modelCompatibility: z.array(z.object({ provider: z.string(), models: z.array(z.string()) })),
    documentationUrl: z.string().optional(),
  })
  .meta({ id: 'BuiltinTool' });

/** Every model of the catalog that can call tools can call each of them. */
export const toBuiltinResponse = (tool: BuiltinTool, models: ModelsByProvider) => {
  const { id, name, description, category, defaultConfig, documentationUrl } = tool;
  return {
    ...{ id, name, description, category, defaultConfig: { ...defaultConfig } },
    providers: Object.keys(models),
    parametersSchema: schemaOfBuiltin(tool),
    modelCompatibility: Object.entries(models).map(([provider, ids]) => ({ provider, models: [...ids] })),
    ...(documentationUrl !== null && { documentationUrl }),
  };
};
