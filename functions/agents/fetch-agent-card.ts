import * as z from 'zod';
import { agentCardFetcher } from '../../shared/domain/agents/agent-cards.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { AgentCardResponse } from './card-schemas.ts';

export const fetchCardOfAgent = defineEndpoint({
  id: 'agents.fetch-agent-card',
  method: 'POST',
  path: '/v1/agents/fetch-agent-card',
  noIdempotencyKey: 'It changes nothing',
  permission: 'authenticated',
  summary: 'Fetch the card of an external agent',
  description:
    'Fetches the card from its URL. If that is not the URL of a document, or not a card, also tries `<url>/.well-known/agent-card.json`, `<origin>/.well-known/agent-card.json` and `<origin>/.well-known/agent.json`. Sends no credentials. Cards of A2A 0.3 and 1.0 get the same members; other members are kept. 400 if the URL is not allowed (only public http and https addresses are), or the response is not a JSON object. 502 if the server is unreachable, responds with an error, takes longer than five seconds or sends more than 1 MB.',
  body: z
    .strictObject({ url: z.url().max(2_000) })
    .meta({ examples: [{ url: 'https://agent.example.com' }] }),
  response: { kind: 'json', bodies: { 200: AgentCardResponse } },
  errors: [400, 502],
  needs: { fetchCard: agentCardFetcher },

  handle: ({ body, signal }, { fetchCard }) => fetchCard(body.url, signal),
});

export const handler = toLambda(fetchCardOfAgent);
