import { omitUndefined } from '../../core/defined.ts';
import { conflict, notFound } from '../../core/errors/errors.ts';
import { createdAtFromId } from '../../core/ids.ts';
import { using } from '../../platform/aws/uses.ts';
import { ConditionFailed, ifRefused } from '../../platform/data/condition-failed.ts';
import { decodeReadable } from '../../platform/data/entity.ts';
import { isUnchanged, type Modification } from '../../platform/data/modify.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { exists, type Write } from '../../platform/data/writes.ts';
import { type AuditEvent, audit } from '../../platform/identity/audit.ts';
import type { Principal } from '../../platform/identity/principal.ts';
import { surfaceEntity } from '../surfaces/surface/surface.ts';
import { assertWithinLimit } from '../tenant-limits.ts';
import {
  type ClientToken,
  clientCredentialEntity,
  clientTokenEntity,
  clientTokensPartition,
  surfaceTokenEntity,
} from './client-token.ts';
import {
  assertDefault,
  type ClientTokenChanges,
  changedToken,
  type NewClientToken,
  newValue,
  storedToken,
} from './token-changes.ts';
import { assertPinned, assertTargetsExist, findChatSurface } from './token-targets.ts';

const markedEveryMs = 60_000;

export const clientTokenStore = /* @__PURE__ */ using(['table:write', 'table:delete'], (scope: Scope) => {
  const { table, now } = scope;

  async function find(id: string): Promise<ClientToken> {
    const token = await table.get(clientTokenEntity, { id }, { consistent: true });
    if (!token) throw notFound('Client token');
    return token;
  }

  return {
    /** @throws 404 */
    find,

    /** Notes that a page uses a token, once a minute. */
    async markUsed({ id, lastUsedAt }: ClientToken): Promise<void> {
      if (lastUsedAt && now().getTime() - Date.parse(lastUsedAt) < markedEveryMs) return;
      const changes = { set: { lastUsedAt: now().toISOString() }, add: { revision: 1 } };
      // Ignored if the token was just deleted.
      const write = table.writes.update(clientTokenEntity, { id }, changes, exists);
      await table.commit([write]).catch(ifRefused(undefined));
    },

    /** Newest first. */
    async list(): Promise<ClientToken[]> {
      const range = { partition: clientTokensPartition, newestFirst: true, consistent: true };
      return decodeReadable(clientTokenEntity, await table.queryAll(range));
    },

    /** @throws 400, 404 if a flow, an agent or the surface does not exist; 409 if the tenant has too many tokens. */
    create: (by: Principal, given: NewClientToken): Promise<ClientToken> => insertToken(scope, by, given),

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
        const after = changedToken(before, changes);
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
        const after = { ...before, ...newValue(before) };
        return { after, alsoWrite: [credentialRemoval(scope, before), credentialWrite(scope, after)] };
      }),

    /** It stops working at once. Its conversations stay. @throws 404, 409 */
    async remove(by: Principal, id: string): Promise<void> {
      await changeToken(scope, by, id, { action: 'client-token.deleted' }, async (before) => ({
        after: undefined,
        alsoWrite: lookupRemovals(scope, before),
      }));
    },

    async removeOfSurface(surfaceId: string): Promise<void> {
      for (const item of await table.queryAll({ partition: clientTokensPartition })) {
        const [token] = decodeReadable(clientTokenEntity, [item]);
        if (token?.surface?.id !== surfaceId) continue;
        const removal = table.writes.remove(clientTokenEntity, token, isUnchanged(token));
        await table.commit([removal, ...lookupRemovals(scope, token)]);
      }
    },
  };
});

/** @throws 400, 404 if a flow, an agent or the surface does not exist; 409 if the tenant has too many tokens. */
async function insertToken(
  scope: Scope,
  by: Principal,
  { surfaceId, ...given }: NewClientToken,
): Promise<ClientToken> {
  const { table, newId } = scope;
  assertDefault(given);
  await assertTargetsExist(table, given);
  await assertPinned(table, given);
  const surface = surfaceId === undefined ? null : await findChatSurface(table, surfaceId);
  assertWithinLimit('client tokens', 1 + (await table.count({ partition: clientTokensPartition })));
  const { userId, organizationId } = by;
  const id = newId('clienttoken');
  const at = createdAtFromId(id);
  const token: ClientToken = {
    id,
    revision: 1,
    userId,
    organizationId,
    ...given,
    ...newValue(given),
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
  const insertion = table.writes.insert(clientTokenEntity, storedToken(token));
  await table.commit([...ofSurface, insertion, credentialWrite(scope, token), write]).catch((error) => {
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
  const decided = async (before: ClientToken): Promise<Modification<typeof clientTokenEntity>> => {
    const { after, alsoWrite = [] } = await decide(before);
    const own = after ? { put: storedToken({ ...after, updatedAt }) } : ({ remove: true } as const);
    return { ...own, alsoWrite: [...alsoWrite, write] };
  };
  const options = { consistent: true, conflictError };
  const token = await table.modify(clientTokenEntity, { id }, decided, options);
  if (!token) throw notFound('Client token');
  log();
  return token;
}

const credentialWrite = ({ table }: Scope, { id, hash, userId, organizationId }: ClientToken): Write =>
  table.writes.insert(clientCredentialEntity, { hash, tokenId: id, userId, organizationId });

const credentialRemoval = ({ table }: Scope, { hash }: ClientToken): Write =>
  table.writes.remove(clientCredentialEntity, { hash });

/** Removes everything by which a token is found. */
const lookupRemovals = (scope: Scope, token: ClientToken): Write[] => {
  const { id: tokenId, surface } = token;
  const ofSurface = surface
    ? [scope.table.writes.remove(surfaceTokenEntity, { surfaceId: surface.id, tokenId })]
    : [];
  return [credentialRemoval(scope, token), ...ofSurface];
};

const conflictError = () =>
  conflict('The client token was changed by another request at the same time; read it again and retry');
