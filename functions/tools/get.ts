import { notFound } from '../../shared/core/errors/errors.ts';
import { readBuiltinId } from '../../shared/domain/flows/steps/tool-reference.ts';
import { builtinAsTool } from '../../shared/domain/tools/builtin/as-tool.ts';
import { findBuiltinTool } from '../../shared/domain/tools/builtin/index.ts';
import { toolStore } from '../../shared/domain/tools/tool-store.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { AnyToolParams, ToolResponse, toToolResponse } from './schemas.ts';

export const getTool = defineEndpoint({
  id: 'tools.get',
  method: 'GET',
  path: '/v1/tools/{id}',
  permission: 'TOOLS:READ',
  summary: 'Get a tool',
  description: 'Also a built-in one, whose `toolType` is `builtin` and whose `userId` is `system`.',
  params: AnyToolParams,
  response: { kind: 'json', bodies: { 200: ToolResponse } },
  errors: [400, 404],
  needs: { tools: toolStore },

  async handle({ params: { id } }, { tools }) {
    const builtinId = readBuiltinId(id);
    if (builtinId === undefined) return toToolResponse(await tools.get(id));
    const builtin = findBuiltinTool(builtinId);
    if (!builtin) throw notFound('Tool');
    return builtinAsTool(builtin);
  },
});

export const handler = toLambda(getTool);
