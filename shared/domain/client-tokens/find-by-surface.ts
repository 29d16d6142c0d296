import { decodeReadable } from '../../platform/data/entity.ts';
import type { Runtime } from '../../platform/runtime.ts';
import {
  type ClientToken,
  clientTokenEntity,
  surfaceTokenEntity,
  surfaceTokensPartition,
} from './client-token.ts';

/** A surface with more tokens has those of other pages. */
const tokensMax = 25;

/** The client tokens of a chat surface, oldest first, for requests that have no other credential. */
export async function findBySurface(
  runtime: Pick<Runtime, 'scopeOf'>,
  surfaceId: string,
): Promise<ClientToken[]> {
  const range = { partition: surfaceTokensPartition(surfaceId), consistent: true };
  const { items } = await runtime.scopeOf('').table.first(tokensMax, range);
  const found = decodeReadable(surfaceTokenEntity, items);
  const [first] = found;
  if (!first) return [];
  const { table } = runtime.scopeOf(first.tenant);
  const keys = found.map(({ tokenId }) => clientTokenEntity.key({ id: tokenId }));
  const stored = await table.getMany(keys, { consistent: true });
  return decodeReadable(
    clientTokenEntity,
    stored.filter((item) => item !== undefined),
  );
}
