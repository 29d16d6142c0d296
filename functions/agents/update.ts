import { limitQueueTime, sandbox } from '../../shared/adapters/sandbox/sandbox.ts';
import { agentEditor } from '../../shared/domain/agents/agent-editor.ts';
import { agentWarnings } from '../../shared/domain/agents/checks/agent-warnings.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { AgentParams, toAgentResponse, UpdatedAgentResponse, warned } from './response-schemas.ts';
import { toChanges, UpdateAgentBody } from './schemas.ts';

export const updateAgent = defineEndpoint({
  id: 'agents.update',
  method: 'PUT',
  path: '/v1/agents/{id}',
  permission: 'AGENTS:WRITE',
  summary: 'Update an agent',
  description:
    'Omitted members stay unchanged. The three configs are merged deeply: objects are merged, lists and other values are replaced, and null removes a member. null also clears `description`, `icon`, `primaryFlowId` and each config. Saves to the draft: with a live key, runs use the published version until you publish again. 404 also if the primary flow does not exist.',
  params: AgentParams,
  body: UpdateAgentBody,
  response: { kind: 'json', bodies: { 200: UpdatedAgentResponse } },
  errors: [400, 404, 409, 503],
  needs: { editor: agentEditor, warnings: agentWarnings, sandbox },

  async handle({ params, body, principal, signal, baseUrl }, { editor, warnings, sandbox }) {
    const limited = limitQueueTime(sandbox, signal);
    const { agent, primaryFlow } = await editor.update(principal, params.id, toChanges(body), limited);
    return {
      ...toAgentResponse(agent, primaryFlow, baseUrl()),
      ...warned(await warnings(agent, principal.permissions)),
    };
  },
});

export const handler = toLambda(updateAgent);
