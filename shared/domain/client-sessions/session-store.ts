import { unixSeconds } from '../../core/time.ts';
import { generateKey, hashKey, isClientSession, isWellFormedKey } from '../../platform/auth/key-format.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { TenantTable } from '../../platform/data/table.ts';
import type { ClientToken } from '../client-tokens/client-token.ts';
import { type ChatTarget, type ClientSession, clientSessionEntity } from './client-session.ts';

/** A page with a token, from where the browser says that it is. */
export interface TokenContext {
  token: ClientToken;
  origin: string | null;
}

/** The session with an id, for requests that have no other credential. @param table Of any tenant. */
export async function findSession(
  table: Pick<TenantTable, 'get'>,
  sessionId: string,
  now: Date,
): Promise<ClientSession | undefined> {
  if (!isClientSession(sessionId) || !isWellFormedKey(sessionId)) return undefined;
  const session = await table.get(clientSessionEntity, { hash: hashKey(sessionId) }, { consistent: true });
  // DynamoDB removes expired items late.
  return session && Date.parse(session.expiresAt) > now.getTime() ? session : undefined;
}

/** Whether a session was opened by a page of this origin with the current value of the token. */
export const isOpenedBy = ({ tokenId, tokenHash, origin }: ClientSession, visit: TokenContext): boolean =>
  tokenId === visit.token.id && tokenHash === visit.token.hash && origin === visit.origin;

export function computeSessionExpiry({ sessionIdleTimeoutMinutes }: ClientToken, now: Date) {
  const expiresAt = new Date(now.getTime() + sessionIdleTimeoutMinutes * 60_000);
  return { expiresAt: expiresAt.toISOString(), ttl: unixSeconds(expiresAt) };
}

export const sessionStore = /* @__PURE__ */ using(['table:write'], (scope: Scope) => {
  const { table, now } = scope;
  return {
    /** @returns the id, which is nowhere else. */
    async open(
      { token, origin }: TokenContext,
      target: ChatTarget,
    ): Promise<{ id: string; expiresAt: string }> {
      const id = generateKey('client-session');
      const { userId, organizationId, id: tokenId, hash: tokenHash } = token;
      const expiry = computeSessionExpiry(token, now());
      const session: ClientSession = {
        hash: hashKey(id),
        revision: 1,
        userId,
        organizationId,
        tokenId,
        tokenHash,
        target,
        origin,
        conversationId: null,
        messageCount: 0,
        createdAt: now().toISOString(),
        ...expiry,
      };
      await table.commit([table.writes.insert(clientSessionEntity, session)]);
      return { id, expiresAt: expiry.expiresAt };
    },

    /** Extends a session. @returns `undefined` unless it is a current one of this visit. */
    async resume(id: string, visit: TokenContext): Promise<ClientSession | undefined> {
      const session = await findSession(table, id, now());
      if (!session || !isOpenedBy(session, visit)) return undefined;
      const extend = () => ({ update: { set: computeSessionExpiry(visit.token, now()) } });
      return table.modify(clientSessionEntity, session, extend, { current: session, consistent: true });
    },
  };
});
