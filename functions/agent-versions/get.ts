import { agentVersions } from '../../shared/domain/agents/agent-versions.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { AgentVersionParams, AgentVersionResponse, toAgentVersionResponse } from './schemas.ts';

export const getAgentVersion = defineEndpoint({
  id: 'agent-versions.get',
  method: 'GET',
  path: '/v1/agent-versions/{agentId}/{versionId}',
  permission: 'AGENTS:READ',
  summary: 'Get a version of an agent',
  params: AgentVersionParams,
  response: { kind: 'json', bodies: { 200: AgentVersionResponse } },
  errors: [400, 404],
  needs: { versions: agentVersions },
  handle: async ({ params }, { versions }) =>
    toAgentVersionResponse(await versions.get(params.agentId, params.versionId)),
});

export const handler = toLambda(getAgentVersion);
