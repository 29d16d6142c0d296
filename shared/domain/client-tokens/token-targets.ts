import { type ErrorDetail, invalidAt, notFound } from '../../core/errors/errors.ts';
import { idKind } from '../../core/ids.ts';
import type { TenantTable } from '../../platform/data/table.ts';
import { agentEntity, agentVersionEntity } from '../agents/config/agent.ts';
import { flowEntity, flowVersionEntity } from '../flows/flow.ts';
import { productsPartition } from '../products/product.ts';
import type { SurfaceTypeName } from '../surfaces/surface/surface-types.ts';
import { type ClientToken, latestVersion } from './client-token.ts';

type Targets = Pick<ClientToken, 'flowIds' | 'agentIds'>;

/** @throws 404 that names the index of each flow and agent that does not exist. */
export async function assertTargetsExist(
  table: TenantTable,
  { flowIds = [], agentIds = [] }: { [List in keyof Targets]?: readonly string[] | undefined },
): Promise<void> {
  const lists = [
    { what: 'Flow', path: 'flowIds', ids: flowIds, keyOf: (id: string) => flowEntity.key({ id }) },
    { what: 'Agent', path: 'agentIds', ids: agentIds, keyOf: (id: string) => agentEntity.key({ id }) },
  ];
  const found = await table.getMany(lists.flatMap(({ ids, keyOf }) => ids.map(keyOf)));
  let first = 0;
  for (const { what, path, ids } of lists) {
    const missing = ids.flatMap((id, index): ErrorDetail[] =>
      found[first + index] ? [] : [missingAt(`${path}.${index}`, what, id)],
    );
    if (missing.length > 0) throw notFound(what, missing);
    first += ids.length;
  }
}

const missingAt = (path: string, what: string, id: string): ErrorDetail => ({
  path,
  code: 'NOT_FOUND',
  message: `${what} ${id} does not exist`,
});

/** @throws 400 unless the pinned version is a published one of the token's flows or agents. */
export async function assertPinned(
  table: TenantTable,
  { pinToVersion: id, flowIds, agentIds }: Targets & Pick<ClientToken, 'pinToVersion'>,
): Promise<void> {
  if (id === latestVersion) return;
  const keys =
    idKind(id) === 'flowver'
      ? flowIds.map((flowId) => flowVersionEntity.key({ flowId, id }))
      : agentIds.map((agentId) => agentVersionEntity.key({ agentId, id }));
  const versions = keys.length > 0 ? await table.getMany(keys) : [];
  const summaries = versions.map((version) => version?.summary as { type?: string } | undefined);
  if (summaries.some((summary) => summary?.type === 'published')) return;
  const message = `${id} is no published version of a flow or an agent of the token. Send "${latestVersion}" or the id of one`;
  throw invalidAt('pinToVersion', 'INVALID_VALUE', message);
}

type Listed = { id: string; type: SurfaceTypeName };

/** The chat surface with an id. Reads the list of products. @throws 404; 400 if the surface is of another type. */
export async function findChatSurface(
  table: TenantTable,
  id: string,
): Promise<NonNullable<ClientToken['surface']>> {
  for await (const products of table.pages({ partition: productsPartition, index: 1 })) {
    for (const { SK1, summary } of products) {
      const { surfaces } = summary as { surfaces: Listed[] };
      const surface = surfaces.find((each) => each.id === id);
      if (surface?.type === 'chat') return { productId: String(SK1), id };
      if (surface) {
        const message = `The surface has the type ${surface.type}. Send the id of a surface of the type chat`;
        throw invalidAt('productSurfaceId', 'INVALID_VALUE', message);
      }
    }
  }
  throw notFound('Surface');
}
