import * as z from 'zod';
import type { BuiltinTool } from '../../shared/domain/tools/builtin/builtin-tool.ts';
import { builtinTools } from '../../shared/domain/tools/builtin/index.ts';
import { modelsWithTools } from '../../shared/domain/tools/models-with-tools.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { BuiltinToolResponse, toBuiltinResponse } from './builtin-schemas.ts';

export const listBuiltinTools = defineEndpoint({
  id: 'tools.builtin',
  method: 'GET',
  path: '/v1/tools/builtin',
  permission: 'TOOLS:READ',
  summary: 'List the built-in tools',
  description: 'They are called as `builtin:<id>` wherever a tool id is taken.',
  response: {
    kind: 'json',
    bodies: { 200: z.object({ data: z.array(BuiltinToolResponse), total: z.int() }) },
  },
  needs: {},

  async handle() {
    const models = await modelsWithTools();
    const data = Object.values<BuiltinTool>(builtinTools).map((tool) => toBuiltinResponse(tool, models));
    return { data, total: data.length };
  },
});

export const handler = toLambda(listBuiltinTools);
