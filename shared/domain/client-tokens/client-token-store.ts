import { omitUndefined } from '../../core/defined.ts';
import { notFound } from '../../core/errors/errors.ts';
import { using } from '../../platform/aws/uses.ts';
import { ifRefused } from '../../platform/data/condition-failed.ts';
import { decodeReadable } from '../../platform/data/entity.ts';
import { isUnchanged } from '../../platform/data/modify.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { exists } from '../../platform/data/writes.ts';
import type { Principal } from '../../platform/identity/principal.ts';
import { type ClientToken, clientTokenEntity, clientTokensPartition } from './client-token.ts';
import {
  assertDefault,
  type ClientTokenChanges,
  changedToken,
  type NewClientToken,
  newValue,
} from './token-changes.ts';
import { assertPinned, assertTargetsExist } from './token-targets.ts';
import {
  changeToken,
  credentialRemoval,
  credentialWrite,
  insertToken,
  lookupRemovals,
} from './token-writes.ts';

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
