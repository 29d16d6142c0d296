import * as z from 'zod';
import { resourceId } from '../../shared/core/ids.ts';
import { agentCapabilities } from '../../shared/domain/agents/agent-capabilities.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { AgentParams } from './response-schemas.ts';

export const removeAgentCapability = defineEndpoint({
  id: 'agents.remove-capability',
  method: 'DELETE',
  path: '/v1/agents/{id}/capabilities/{capabilityId}',
  permission: 'AGENTS:WRITE',
  summary: 'Remove a capability from an agent',
  description: 'Saves to the draft, as PUT /v1/agents/{id} does.',
  params: AgentParams.extend({ capabilityId: resourceId('cap') }),
  response: { kind: 'json', bodies: { 200: z.object({ success: z.boolean() }) } },
  errors: [400, 404, 409],
  needs: { capabilities: agentCapabilities },

  async handle({ params }, { capabilities }) {
    await capabilities.remove(params.id, params.capabilityId);
    return { success: true };
  },
});

export const handler = toLambda(removeAgentCapability);
