import { agentVersions } from '../../shared/domain/agents/agent-versions.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { AgentVersionResponse, AgentVersionsParams, toAgentVersionResponse } from './schemas.ts';

export const getPublishedAgentVersion = defineEndpoint({
  id: 'agent-versions.get-published',
  method: 'GET',
  path: '/v1/agent-versions/{agentId}/published',
  permission: 'AGENTS:READ',
  summary: 'Get the published version of an agent',
  params: AgentVersionsParams,
  response: { kind: 'json', bodies: { 200: AgentVersionResponse } },
  errors: [400, 404],
  needs: { versions: agentVersions },
  handle: async ({ params }, { versions }) =>
    toAgentVersionResponse(await versions.published(params.agentId)),
});

export const handler = toLambda(getPublishedAgentVersion);
