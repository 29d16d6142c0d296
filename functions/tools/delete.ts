import * as z from 'zod';
import { toolStore } from '../../shared/domain/tools/tool-store.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { ToolParams } from './schemas.ts';

export const deleteTool = defineEndpoint({
  id: 'tools.delete',
  method: 'DELETE',
  path: '/v1/tools/{id}',
  permission: 'TOOLS:WRITE',
  summary: 'Delete a tool',
  description: 'Flows that run the tool keep the reference, and the step fails with a clear error.',
  params: ToolParams,
  response: { kind: 'json', bodies: { 200: z.object({ deletedId: z.string(), success: z.boolean() }) } },
  errors: [400, 404, 409],
  needs: { tools: toolStore },

  async handle({ params }, { tools }) {
    await tools.remove(params.id);
    return { deletedId: params.id, success: true };
  },
});

export const handler = toLambda(deleteTool);
