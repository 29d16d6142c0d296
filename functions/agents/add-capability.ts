import { limitQueueTime, sandbox } from '../../shared/adapters/sandbox/sandbox.ts';
import { agentCapabilities } from '../../shared/domain/agents/agent-capabilities.ts';
import { CapabilityInput } from '../../shared/domain/agents/config/capabilities.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { AgentCapabilityResponse, AgentParams } from './response-schemas.ts';

const example = {
  toolName: 'describe_airport',
  toolDescription: 'Describes an airport by its code',
  flowId: 'flow_01k9m4v7d3x8qz5w2r6t0y1hbn',
  parametersSchema: { type: 'object', properties: { code: { type: 'string' } }, required: ['code'] },
};

export const addAgentCapability = defineEndpoint({
  id: 'agents.add-capability',
  method: 'POST',
  path: '/v1/agents/{id}/capabilities',
  permission: 'AGENTS:WRITE',
  summary: 'Add a capability to an agent',
  description:
    'Lets the agent call a flow, another agent or a tool. 400 if the agent has 64 capabilities, or would call itself, also through other agents; 404 if the agent or the target does not exist; 409 if the agent has a capability with the tool name. Saves to the draft, as PUT /v1/agents/{id} does.',
  params: AgentParams,
  body: CapabilityInput.meta({ examples: [example] }),
  response: { kind: 'json', bodies: { 201: AgentCapabilityResponse } },
  errors: [400, 404, 409, 503],
  needs: { capabilities: agentCapabilities, sandbox },

  async handle({ params: { id }, body, signal }, { capabilities, sandbox }) {
    const added = await capabilities.add(id, body, limitQueueTime(sandbox, signal));
    return { ...added, agentId: id };
  },
});

export const handler = toLambda(addAgentCapability);
