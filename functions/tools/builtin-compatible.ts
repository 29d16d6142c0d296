import * as z from 'zod';
import type { BuiltinTool } from '../../shared/domain/tools/builtin/builtin-tool.ts';
import { builtinTools } from '../../shared/domain/tools/builtin/index.ts';
import { canCallTools, modelsWithTools } from '../../shared/domain/tools/models-with-tools.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { BuiltinToolResponse, toBuiltinResponse } from './builtin-schemas.ts';

export const listCompatibleTools = defineEndpoint({
  id: 'tools.builtin-compatible',
  method: 'GET',
  path: '/v1/tools/builtin/compatible',
  permission: 'TOOLS:READ',
  summary: 'List the built-in tools that a model can call',
  description: 'An unknown model or provider, or a model that cannot call tools, gives an empty list.',
  query: z.object({ model: z.string().min(1).max(255), provider: z.string().min(1).max(255) }),
  response: {
    kind: 'json',
    bodies: { 200: z.object({ data: z.array(BuiltinToolResponse), total: z.int() }) },
  },
  errors: [400],
  needs: {},

  async handle({ query: { model, provider } }) {
    const [models, isCompatible] = await Promise.all([modelsWithTools(), canCallTools(provider, model)]);
    const tools = isCompatible ? Object.values<BuiltinTool>(builtinTools) : [];
    const data = tools.map((tool) => toBuiltinResponse(tool, models));
    return { data, total: data.length };
  },
});

export const handler = toLambda(listCompatibleTools);
