import { agentFinder } from '../../shared/domain/agents/agent-store.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { AgentParams, AgentResponse, toAgentResponse } from './response-schemas.ts';

export const getAgent = defineEndpoint({
  id: 'agents.get',
  method: 'GET',
  path: '/v1/agents/{id}',
  permission: 'AGENTS:READ',
  summary: 'Get an agent',
  description: 'Returns the live agent: the draft if there is one. A primary flow that was deleted is null.',
  params: AgentParams,
  response: { kind: 'json', bodies: { 200: AgentResponse } },
  errors: [400, 404],
  needs: { agents: agentFinder },

  async handle({ params, baseUrl }, { agents }) {
    const agent = await agents.find(params.id);
    return toAgentResponse(agent, await agents.findPrimaryFlow(agent), baseUrl());
  },
});

export const handler = toLambda(getAgent);
