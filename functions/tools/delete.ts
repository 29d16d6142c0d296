import * as z from 'zod';
import { toolStore } from '../../shared/domain/tools/tool-store.ts';
import { cleanupQueue } from '../../shared/platform/cleanup/cleanup.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { ToolParams } from './schemas.ts';

export const deleteTool = defineEndpoint({
  id: 'tools.delete',
  method: 'DELETE',
  path: '/v1/tools/{id}',
  permission: 'TOOLS:WRITE',
  summary: 'Delete a tool',
  description:
    'Also deletes its runs. Flows that run the tool keep the reference, and the step fails with a clear error.',
  params: ToolParams,
  response: { kind: 'json', bodies: { 200: z.object({ deletedId: z.string(), success: z.boolean() }) } },
  errors: [400, 404, 409],
  needs: { tools: toolStore, cleanup: cleanupQueue },

  async handle({ params }, { tools, cleanup }) {
    await tools.remove(params.id);
    await cleanup.enqueue([params.id]);
    return { deletedId: params.id, success: true };
  },
});

export const handler = toLambda(deleteTool);
