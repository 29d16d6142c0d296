/**
 * The client tokens of a tenant, by which web pages use its flows and agents without an API key.
 * A token is found in three ways, each an item of its own: by its id, by the hash of its value, and by its surface. All
 * are written in one transaction with the audit entry, and removed together, so a value stops working at once. The
 * clean-up of a deleted surface removes its tokens without audit entries (`removeOfSurface`).
 * What a token names must exist when it is created or changed; later deletions are noticed when it is used. A change is
 * decided on the current token and repeated after a conflict.
 * For requests that have no other credential, `findByValue` finds the tenant and the id of a token, `findBySurface` the
 * oldest 25 tokens of a surface. Sessions are in `client-sessions/`, origins in `origins.ts`.
 */
import { omitUndefined } from '../../core/defined.ts';
import { type ErrorDetail, invalidAt, notFound } from '../../core/errors/errors.ts';
import { getIdCreatedAt, getIdKind } from '../../core/ids.ts';
import { generateKey, hashKey, isClientToken, isWellFormedKey } from '../../platform/auth/key-format.ts';
import { using } from '../../platform/aws/uses.ts';
import { ConditionFailed } from '../../platform/data/condition-failed.ts';
import { decodeReadable } from '../../platform/data/entity.ts';
import { markUsed } from '../../platform/data/mark-used.ts';
import { isUnchanged, type Modification } from '../../platform/data/modify.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { TenantTable } from '../../platform/data/table.ts';
import { exists, type Write } from '../../platform/data/writes.ts';
import { type AuditEvent, audit } from '../../platform/identity/audit.ts';
import { type Principal, toTenant } from '../../platform/identity/principal.ts';
import type { Runtime } from '../../platform/runtime.ts';
import { agentEntity, agentVersionEntity } from '../agents/config/agent.ts';
import { assertFits } from '../content-size.ts';
import { flowEntity, flowVersionEntity } from '../flows/flow.ts';
import { productsPartition } from '../products/product.ts';
import { type SurfaceTypeName, surfaceEntity } from '../surfaces/surface/surface.ts';
import { assertWithinLimit } from '../tenant-limits.ts';
import {
  type ClientToken,
  clientCredentialEntity,
  clientTokenEntity,
  clientTokensPartition,
  latestVersion,
  surfaceTokenEntity,
  surfaceTokensPartition,
  toStoredClientToken,
} from './client-token.ts';

export const clientTokenStore = /* @__PURE__ */ using(['table:write', 'table:delete'], (scope: Scope) => {
  const { table } = scope;

  const find = (id: string): Promise<ClientToken> =>
    table.find(clientTokenEntity, { id }, { consistent: true });

  return {
    /** @throws 404 */
    find,

    /** Notes that a page uses a token. */
    markUsed: (token: ClientToken) => markUsed(scope, clientTokenEntity, token, 'lastUsedAt'),

    /** Newest first. */
    async list(): Promise<ClientToken[]> {
      const range = { partition: clientTokensPartition, newestFirst: true, consistent: true };
      return decodeReadable(clientTokenEntity, await table.queryAll(range));
    },

    /** @throws 400, 404 if a flow, an agent or the surface does not exist; 409 if the tenant has too many tokens. */
    create: (by: Principal, input: NewClientToken): Promise<ClientToken> => insertToken(scope, by, input),

    /** @param allow Throws if the caller may not have the token changed to this. @throws 400, 404, 409 */
    async update(
      by: Principal,
      id: string,
      changes: ClientTokenChanges,
      allow: (after: ClientToken) => void,
    ): Promise<ClientToken> {
      await assertTargetsExist(table, changes);
      const { flowIds, agentIds, pinToVersion } = changes;
      const mayUnpin = (flowIds ?? agentIds ?? pinToVersion) !== undefined;
      const config = changes.config && JSON.stringify(changes.config);
      const event = { action: 'client-token.updated', details: omitUndefined({ ...changes, config }) };
      return changeToken(scope, by, id, event, async (before) => {
        const after = mergeChanges(before, changes);
        allow(after);
        assertDefault(after);
        if (mayUnpin) await assertPinned(table, after);
        return { after };
      });
    },

    /** Replaces the value. The old one stops working at once. @param allow As for an update. @throws 404, 409 */
    regenerate: (by: Principal, id: string, allow: (after: ClientToken) => void): Promise<ClientToken> =>
      changeToken(scope, by, id, { action: 'client-token.regenerated' }, async (before) => {
        allow(before);
        const after = { ...before, ...createValue(before) };
        return {
          after,
          alsoWrite: [createCredentialRemoval(scope, before), createCredentialWrite(scope, after)],
        };
      }),

    /** It stops working at once. Its conversations stay. @throws 404, 409 */
    async remove(by: Principal, id: string): Promise<void> {
      await changeToken(scope, by, id, { action: 'client-token.deleted' }, async (before) => ({
        after: undefined,
        alsoWrite: createLookupRemovals(scope, before),
      }));
    },

    async removeOfSurface(surfaceId: string): Promise<void> {
      for (const item of await table.queryAll({ partition: clientTokensPartition })) {
        const [token] = decodeReadable(clientTokenEntity, [item]);
        if (token?.surface?.id !== surfaceId) continue;
        const removal = table.writes.remove(clientTokenEntity, token, isUnchanged(token));
        await table.commit([removal, ...createLookupRemovals(scope, token)]);
      }
    },
  };
});

/** @throws 400, 404 if a flow, an agent or the surface does not exist; 409 if the tenant has too many tokens. */
async function insertToken(
  scope: Scope,
  by: Principal,
  { surfaceId, ...fields }: NewClientToken,
): Promise<ClientToken> {
  const { table, newId } = scope;
  assertDefault(fields);
  await assertTargetsExist(table, fields);
  await assertPinned(table, fields);
  const surface = surfaceId === undefined ? null : await findChatSurface(table, surfaceId);
  assertWithinLimit('client tokens', 1 + (await table.count({ partition: clientTokensPartition })));
  const { userId, organizationId } = by;
  const id = newId('clienttoken');
  const at = getIdCreatedAt(id);
  const token: ClientToken = {
    id,
    revision: 1,
    userId,
    organizationId,
    ...fields,
    ...createValue(fields),
    surface,
    isActive: true,
    lastUsedAt: null,
    createdAt: at,
    updatedAt: at,
  };
  const { name, environment, flowIds, agentIds, allowedOrigins } = token;
  const details = { name, environment, flowIds, agentIds, allowedOrigins };
  const event = { action: 'client-token.created', targetId: token.id, details };
  const { write, log } = audit(scope, by, event);
  const { tenant } = table;
  const ofSurface = surface
    ? [
        table.writes.check(surfaceEntity, surface, exists),
        table.writes.put(surfaceTokenEntity, { surfaceId: surface.id, tokenId: token.id, tenant }),
      ]
    : [];
  const insertion = table.writes.insert(clientTokenEntity, toItem(token));
  await table.commit([...ofSurface, insertion, createCredentialWrite(scope, token), write]).catch((error) => {
    throw surface && error instanceof ConditionFailed ? notFound('Surface') : error;
  });
  log();
  return token;
}

/** Changes the current token together with further writes and an audit item. @throws 404; 409 after conflicts. */
async function changeToken(
  scope: Scope,
  by: Principal,
  id: string,
  event: Omit<AuditEvent, 'targetId'>,
  decide: (before: ClientToken) => Promise<{ after: ClientToken | undefined; alsoWrite?: Write[] }>,
): Promise<ClientToken> {
  const { table, now } = scope;
  const { write, log } = audit(scope, by, { ...event, targetId: id });
  const updatedAt = now().toISOString();
  const decideWrite = async (before: ClientToken): Promise<Modification<typeof clientTokenEntity>> => {
    const { after, alsoWrite = [] } = await decide(before);
    const change = after ? { put: toItem({ ...after, updatedAt }) } : ({ remove: true } as const);
    return { ...change, alsoWrite: [...alsoWrite, write] };
  };
  const token = await table.change(clientTokenEntity, { id }, decideWrite, { consistent: true });
  log();
  return token;
}

const createCredentialWrite = ({ table }: Scope, { id, hash, userId, organizationId }: ClientToken): Write =>
  table.writes.insert(clientCredentialEntity, { hash, tokenId: id, userId, organizationId });

const createCredentialRemoval = ({ table }: Scope, { hash }: ClientToken): Write =>
  table.writes.remove(clientCredentialEntity, { hash });

/** Removes everything by which a token is found. */
const createLookupRemovals = (scope: Scope, token: ClientToken): Write[] => {
  const { id: tokenId, surface } = token;
  const ofSurface = surface
    ? [scope.table.writes.remove(surfaceTokenEntity, { surfaceId: surface.id, tokenId })]
    : [];
  return [createCredentialRemoval(scope, token), ...ofSurface];
};

/** So that all tokens of a tenant fit a response. */
const tokenBytesMax = 12_000;

type Editable =
  | 'name'
  | 'flowIds'
  | 'defaultFlowId'
  | 'agentIds'
  | 'allowedOrigins'
  | 'pinToVersion'
  | 'rateLimitPerMinute'
  | 'rateLimitPerHour'
  | 'maxMessagesPerSession'
  | 'sessionIdleTimeoutMinutes'
  | 'config';

type NewClientToken = Pick<ClientToken, Editable | 'environment'> & {
  surfaceId?: string | undefined;
};

/** Missing members stay unchanged. */
type ClientTokenChanges = {
  [Member in Editable | 'isActive']?: ClientToken[Member] | undefined;
};

function createValue({ environment }: Pick<ClientToken, 'environment'>) {
  const value = generateKey(`client-${environment}`);
  return { value, hash: hashKey(value) };
}

function mergeChanges(before: ClientToken, changes: ClientTokenChanges): ClientToken {
  const defined = Object.entries(changes).filter(([, value]) => value !== undefined);
  return { ...before, ...Object.fromEntries(defined) };
}

function assertDefault({ defaultFlowId, flowIds }: Pick<ClientToken, 'defaultFlowId' | 'flowIds'>): void {
  if (defaultFlowId === null || flowIds.includes(defaultFlowId)) return;
  const message = `The default flow ${defaultFlowId} is not in flowIds. Add it there, or send another defaultFlowId`;
  throw invalidAt('defaultFlowId', 'INVALID_VALUE', message);
}

/** @throws 400 if the token is too large. */
function toItem(token: ClientToken) {
  const item = toStoredClientToken(token);
  const [allowedOrigins, flowIds, agentIds] = [token.allowedOrigins, token.flowIds, token.agentIds].map(
    (list) => JSON.stringify(list),
  ) as [string, string, string];
  assertFits('a client token', { config: item.config, allowedOrigins, flowIds, agentIds }, tokenBytesMax);
  return item;
}

type Targets = Pick<ClientToken, 'flowIds' | 'agentIds'>;

/** @throws 404 that names the index of each flow and agent that does not exist. */
async function assertTargetsExist(
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
      found[first + index] ? [] : [toMissingDetail(`${path}.${index}`, what, id)],
    );
    if (missing.length > 0) throw notFound(what, missing);
    first += ids.length;
  }
}

const toMissingDetail = (path: string, what: string, id: string): ErrorDetail => ({
  path,
  code: 'NOT_FOUND',
  message: `${what} ${id} does not exist`,
});

/** @throws 400 unless the pinned version is a published one of the token's flows or agents. */
async function assertPinned(
  table: TenantTable,
  { pinToVersion: id, flowIds, agentIds }: Targets & Pick<ClientToken, 'pinToVersion'>,
): Promise<void> {
  if (id === latestVersion) return;
  const keys =
    getIdKind(id) === 'flowver'
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
async function findChatSurface(table: TenantTable, id: string): Promise<NonNullable<ClientToken['surface']>> {
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

/** A surface with more tokens has those of other pages. */
const tokensMax = 25;

/** The oldest client tokens of a chat surface, oldest first, for requests that have no other credential. */
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

/** For requests without another credential. A regenerated or deleted value finds nothing. @param table Of any tenant. */
export async function findByValue(
  table: Pick<TenantTable, 'get'>,
  value: string,
): Promise<{ tenant: string; tokenId: string } | undefined> {
  if (!isClientToken(value) || !isWellFormedKey(value)) return undefined;
  const key = { hash: hashKey(value) };
  const found = await table.get(clientCredentialEntity, key, { consistent: true });
  return found && { tenant: toTenant(found.userId, found.organizationId), tokenId: found.tokenId };
}
