import { isOfFormer, renderCard, toUnsignedCard } from '../../shared/adapters/a2a-server/card.ts';
import { cardKeys } from '../../shared/domain/surfaces/card-keys.ts';
import { availableItems, exposedItems } from '../../shared/domain/surfaces/exposed-item.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { a2aHeaders, a2aPath, keysPath } from '../../shared/protocols/a2a/parameters.ts';
import { toServedCard } from '../../shared/protocols/a2a/served-card.ts';
import { SurfaceParams } from '../surfaces/response-schemas.ts';
import { assertShown, scopeOfAgent } from './public-agent.ts';
import { A2aCard } from './schemas.ts';

export const getA2aCard = defineEndpoint({
  id: 'surface-a2a.card',
  method: 'GET',
  path: `${a2aPath}/.well-known/agent-card.json`,
  requestHeaders: a2aHeaders,
  permission: 'public',
  scope: scopeOfAgent,
  summary: 'Get the agent card of an a2a surface',
  description:
    'What the agent can do, and how it is reached: the addresses of JSON-RPC (A2A 1.0 and 0.3) and HTTP+JSON (1.0), the credentials, and a skill for each enabled item whose flow or agent exists, with the description of the item, or else of the capability, or else of the flow or agent. A card of A2A 1.0 for requests with the header `A2A-Version: 1.0`; for all others one of 0.3 that lists the interfaces of 1.0 too. Cards of 1.0 are signed if `behavior.cardSigning` of the surface names a key. 404 unless the surface is active. Caches may keep it for a minute; `ETag` and `If-None-Match` work for each version.',
  params: SurfaceParams,
  response: {
    kind: 'json',
    bodies: { 200: A2aCard },
    cached: { maxAgeSeconds: 60, varies: 'A2A-Version', meaningOf: toUnsignedCard },
  },
  errors: [400, 404],
  needs: { items: exposedItems, available: availableItems, keys: cardKeys },

  async handle({ params: { id, surfaceId }, header, baseUrl }, { items, available, keys }) {
    const whole = await items.findSurface(id, surfaceId);
    assertShown(whole.surface);
    const card = toServedCard({ ...whole, exposed: await available(whole.exposed) }, baseUrl());
    const version = header('a2a-version');
    const key = isOfFormer(version) ? undefined : await keys.findCardKey(whole.surface);
    return renderCard(card, version, key && { key, keysUrl: card.url + keysPath }) as never;
  },
});

export const handler = toLambda(getA2aCard);
