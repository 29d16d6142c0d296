import * as z from 'zod';
import { notFound } from '../../shared/core/errors/errors.ts';
import { readBuiltinId } from '../../shared/domain/flows/steps/tool-reference.ts';
import { parametersOfBuiltin } from '../../shared/domain/tools/builtin/builtin-tool.ts';
import { findBuiltinTool } from '../../shared/domain/tools/builtin/index.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { BuiltinParameters } from './builtin-schemas.ts';

const JsonObject = z.record(z.string(), z.unknown());

const example = {
  id: 'calculator',
  name: 'Calculator',
  description: 'Computes an expression exactly',
  parametersSchema: { expression: { type: 'string', minLength: 1, maxLength: 1_000, isRequired: true } },
  defaultConfig: {},
};

export const getBuiltinSchema = defineEndpoint({
  id: 'tools.builtin-schema',
  method: 'GET',
  path: '/v1/tools/builtin/{toolId}/schema',
  permission: 'TOOLS:READ',
  summary: 'Get the schema of a built-in tool',
  params: z.object({
    toolId: z
      .string()
      .min(1)
      .max(100)
      .meta({ example: 'date-time', description: 'With or without `builtin:`' }),
  }),
  response: {
    kind: 'json',
    bodies: {
      200: z
        .object({
          id: z.string(),
          name: z.string(),
          description: z.string(),
          parametersSchema: BuiltinParameters,
          defaultConfig: JsonObject,
        })
        .meta({ id: 'BuiltinToolSchema', examples: [example] }),
    },
  },
  errors: [400, 404],
  needs: {},

  handle({ params: { toolId } }) {
    const tool = findBuiltinTool(readBuiltinId(toolId) ?? toolId);
    if (!tool) throw notFound('Tool');
    const { id, name, description, defaultConfig } = tool;
    return {
      id,
      name,
      description,
      parametersSchema: parametersOfBuiltin(tool),
      defaultConfig: { ...defaultConfig },
    };
  },
});

export const handler = toLambda(getBuiltinSchema);
