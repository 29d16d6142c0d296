import { cardKeys } from '../../shared/domain/surfaces/card-keys.ts';
import { exposedItems } from '../../shared/domain/surfaces/exposed-item.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { a2aPath, keysPath } from '../../shared/protocols/a2a/parameters.ts';
import { SurfaceParams } from '../surfaces/response-schemas.ts';
import { assertShown, scopeOfAgent } from './public-agent.ts';
import { A2aKeys } from './schemas.ts';

export const getA2aKeys = defineEndpoint({
  id: 'surface-a2a.keys',
  method: 'GET',
  path: `${a2aPath}${keysPath}`,
  permission: 'public',
  scope: scopeOfAgent,
  summary: 'Get the public key of an agent card',
  description:
    'A JSON Web Key Set, to which `jku` in the signature of the card refers, with the key that `kid` names. Empty if the card is not signed. 404 unless the surface is active.',
  params: SurfaceParams,
  response: { kind: 'json', bodies: { 200: A2aKeys } },
  errors: [400, 404],
  needs: { items: exposedItems, keys: cardKeys },

  async handle({ params: { id, surfaceId } }, { items, keys }) {
    const { surface } = await items.findSurface(id, surfaceId);
    assertShown(surface);
    const key = await keys.findCardKey(surface);
    return { keys: key ? [key.publicJwk] : [] };
  },
});

export const handler = toLambda(getA2aKeys);
