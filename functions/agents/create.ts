import { agentEditor } from '../../shared/domain/agents/agent-editor.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda.ts';
import { CreatedAgentResponse, toAgentResponse } from './response-schemas.ts';
import { CreateAgentBody, toChanges } from './schemas.ts';

export const createAgent = defineEndpoint({
  id: 'agents.create',
  method: 'POST',
  path: '/v1/agents',
  permission: 'AGENTS:WRITE',
  summary: 'Create an agent',
  description:
    'The agent is active. Until a version is published, runs use the live agent. An external agent needs `externalConfig.endpoint` or `externalConfig.agentCardUrl`. 404 if the primary flow does not exist.',
  body: CreateAgentBody,
  response: { kind: 'json', bodies: { 201: CreatedAgentResponse } },
  errors: [400, 404, 415],
  needs: { editor: agentEditor },

  async handle({ body, principal }, { editor }) {
    const { agent, primaryFlow } = await editor.create(principal, toChanges(body));
    return toAgentResponse(agent, primaryFlow);
  },
});

export const handler = toLambda(createAgent);
