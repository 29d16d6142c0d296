import { limitQueueTime, sandbox } from '../../shared/adapters/sandbox/sandbox.ts';
import { agentEditor } from '../../shared/domain/agents/agent-editor.ts';
import { agentWarnings } from '../../shared/domain/agents/checks/agent-warnings.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { CreatedAgentResponse, toAgentResponse, warned } from './response-schemas.ts';
import { CreateAgentBody, toChanges } from './schemas.ts';

export const createAgent = defineEndpoint({
  id: 'agents.create',
  method: 'POST',
  path: '/v1/agents',
  permission: 'AGENTS:WRITE',
  summary: 'Create an agent',
  description:
    'The agent is active. Until a version is published, runs use the live agent. An external agent needs `externalConfig.endpoint` or `externalConfig.agentCardUrl`. 404 if the primary flow, or the target of a capability, does not exist; 409 if the agents of the tenant have 500 credentials.',
  body: CreateAgentBody,
  response: { kind: 'json', bodies: { 201: CreatedAgentResponse } },
  errors: [400, 404, 409, 503],
  needs: { editor: agentEditor, warnings: agentWarnings, sandbox },

  async handle({ body, principal, signal, baseUrl }, { editor, warnings, sandbox }) {
    const limited = limitQueueTime(sandbox, signal);
    const { agent, primaryFlow } = await editor.create(principal, toChanges(body), limited);
    return {
      ...toAgentResponse(agent, primaryFlow, baseUrl()),
      ...warned(await warnings(agent, principal.permissions)),
    };
  },
});

export const handler = toLambda(createAgent);
