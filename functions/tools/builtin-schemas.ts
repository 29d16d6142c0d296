import * as z from 'zod';
import { type BuiltinTool, parametersOfBuiltin } from '../../shared/domain/tools/builtin/builtin-tool.ts';
import type { ModelsByProvider } from '../../shared/domain/tools/models-with-tools.ts';

const JsonObject = z.record(z.string(), z.unknown());

export const BuiltinParameters = z.record(z.string(), JsonObject).meta({
  description:
    'The arguments by name, each with its JSON Schema and `isRequired`. GET /v1/tools/schema?toolIds=builtin:<id> returns one JSON Schema of all',
});

export const BuiltinToolResponse = z
  .object({
    id: z.string(),
    name: z.string(),
    description: z.string(),
    category: z.string(),
    effects: z
      .boolean()
      .meta({ description: 'Whether a call has effects outside of the run, or asks another service' }),
    providers: z.array(z.string()).meta({ description: 'The model providers with models that can call it' }),
    parametersSchema: BuiltinParameters,
    defaultConfig: JsonObject,
    modelCompatibility: z.array(z.object({ provider: z.string(), models: z.array(z.string()) })),
    documentationUrl: z.string().optional(),
  })
  .meta({
    id: 'BuiltinTool',
    examples: [
      {
        id: 'calculator',
        name: 'Calculator',
        description: 'Computes an expression exactly',
        category: 'code',
        effects: false,
        providers: ['anthropic', 'openai'],
        parametersSchema: {
          expression: { type: 'string', minLength: 1, maxLength: 1_000, isRequired: true },
        },
        defaultConfig: {},
        modelCompatibility: [{ provider: 'openai', models: ['gpt-5-mini'] }],
      },
    ],
  });

/** Every model of the catalog that can call tools can call each of them. */
export const toBuiltinResponse = (tool: BuiltinTool, models: ModelsByProvider) => {
  const { id, name, description, category, effects, defaultConfig, documentationUrl } = tool;
  return {
    id,
    name,
    description,
    category,
    effects,
    defaultConfig: { ...defaultConfig },
    providers: Object.keys(models),
    parametersSchema: parametersOfBuiltin(tool),
    modelCompatibility: Object.entries(models).map(([provider, ids]) => ({ provider, models: [...ids] })),
    ...(documentationUrl !== null && { documentationUrl }),
  };
};
