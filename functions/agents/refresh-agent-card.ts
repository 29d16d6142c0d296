import { agentCards } from '../../shared/domain/agents/agent-cards.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { RefreshedAgentResponse } from './card-schemas.ts';
import { AgentParams } from './response-schemas.ts';

export const refreshAgentCard = defineEndpoint({
  id: 'agents.refresh-agent-card',
  method: 'POST',
  path: '/v1/agents/{id}/refresh-agent-card',
  permission: 'AGENTS:WRITE',
  summary: 'Refresh the card of an external agent',
  description: `Fetches the card from \`externalConfig.agentCardUrl\`, or from the conventional places of \`externalConfig.endpoint\`, and stores it in \`externalConfig.cachedAgentCard\`.

- A new skill gets the role \`standalone\` if it is the only one, else \`tool\`, in \`externalConfig.skillsOverride\`, unless that has an entry for it. The first refresh reports all skills as added.
- A refresh concerns the live agent and creates no draft.
- With \`refreshIntervalMinutes\` the service also does this by itself, checking every 15 minutes.
- After a failure, \`healthStatus\` is \`unhealthy\`.`,
  params: AgentParams,
  response: { kind: 'json', bodies: { 200: RefreshedAgentResponse } },
  errors: [400, 404, 409, 502],
  statuses: {
    400: 'The agent is not external, the URL is not allowed, or the response is not a JSON object',
    502: 'The server is unreachable, too slow, or responds with an error or too much',
  },
  needs: { cards: agentCards },

  async handle({ params, signal }, { cards }) {
    const { agent, changeReport } = await cards.refresh(params.id, signal);
    return { ...agent, changeReport: { ...changeReport } };
  },
});

export const handler = toLambda(refreshAgentCard);
