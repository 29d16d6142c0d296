import * as z from 'zod';
import { agentRemover } from '../../shared/domain/agents/remove-agent.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { AgentParams } from './response-schemas.ts';

export const deleteAgent = defineEndpoint({
  id: 'agents.delete',
  method: 'DELETE',
  path: '/v1/agents/{id}',
  permission: 'AGENTS:WRITE',
  summary: 'Delete an agent',
  description:
    'Also deletes its capabilities, its credentials and its versions: they are unreadable at once. Agents that call it keep the capability, and the call fails with a clear error.',
  params: AgentParams,
  response: { kind: 'json', bodies: { 200: z.object({ success: z.boolean() }) } },
  errors: [400, 404, 409],
  needs: { remove: agentRemover },

  async handle({ params }, { remove }) {
    await remove(params.id);
    return { success: true };
  },
});

export const handler = toLambda(deleteAgent);
