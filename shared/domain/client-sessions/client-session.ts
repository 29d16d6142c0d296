/**
 * The session of a chat visitor and the runs that answer in it, as they are stored.
 * The id of a session is its credential, and only its hash is stored. A session is valid for pages of one origin with
 * the current value of one client token. Resuming it and beginning a turn extend it. DynamoDB removes expired items
 * late, so `findSession` and the beginning of a turn compare the time; other reads do not.
 * The record of a run lets the session, and nobody else, continue or follow that run; it outlives the longest wait for
 * a page. Who has the turn is decided in `turn-state.ts`; `protocols/chat` and the endpoints of chats are the callers.
 */
import * as z from 'zod';
import { unixSeconds } from '../../core/time.ts';
import { credentialPartition } from '../../platform/auth/api-key.ts';
import { generateKey, hashKey, isClientSession, isWellFormedKey } from '../../platform/auth/key-format.ts';
import { using } from '../../platform/aws/uses.ts';
import { defineEntity } from '../../platform/data/entity.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { TenantTable } from '../../platform/data/table.ts';
import type { Write } from '../../platform/data/writes.ts';
import type { ClientToken } from '../client-tokens/client-token.ts';

export const ChatTarget = z.object({ kind: z.enum(['flow', 'agent']), id: z.string() });
export type ChatTarget = z.infer<typeof ChatTarget>;

/** The chat of one visitor of a page. Its id is its credential: the table stores only the hash. */
export const ClientSession = z.object({
  hash: z.string(),
  /** Incremented with each write, to detect concurrent changes. */
  revision: z.int(),
  userId: z.string(),
  organizationId: z.string().nullable(),
  tokenId: z.string(),
  /** Of the value that the token had. A regenerated value ends the sessions of the old one. */
  tokenHash: z.string(),
  target: ChatTarget,
  /** The origin of the page; null if it sent none. */
  origin: z.string().nullable(),
  /** Null until the first message. */
  conversationId: z.string().nullable(),
  messageCount: z.int(),
  /** Names the request that answers a message now, and until when it may, unless it extends this. */
  turnId: z.string().optional(),
  turnUntil: z.string().optional(),
  /** The execution of the current turn, or of one whose answer is not in the conversation yet. */
  runId: z.string().optional(),
  /** Whether the page that began the turn has closed its stream. */
  isDetached: z.boolean().optional(),
  /** Until when another page reads the answer of the turn, unless it extends this. */
  readUntil: z.string().optional(),
  /** The requests that wait for their turn, the first first, and until when they do, unless they extend this. */
  waiting: z.array(z.object({ id: z.string(), until: z.string() })).optional(),
  createdAt: z.string(),
  expiresAt: z.string(),
  ttl: z.int(),
});
export type ClientSession = z.infer<typeof ClientSession>;

export const clientSessionEntity = defineEntity({
  type: 'clientSession',
  schema: ClientSession,
  key: ({ hash }: { hash: string }) => ({ PK: credentialPartition(hash), SK: 'CLIENT_SESSION' }),
});

/** A run that waits for a page ends after seven days. */
const keptSeconds = 8 * 86_400;

/** A run that answers a message of a session. Nobody but the session may continue or follow it. */
export const SessionRun = z.object({
  hash: z.string(),
  executionId: z.string(),
  target: ChatTarget,
  conversationId: z.string(),
  /** The id that the answer has in the conversation. */
  answerId: z.string(),
  ttl: z.int(),
});
export type SessionRun = Omit<z.infer<typeof SessionRun>, 'ttl'>;

const sessionRunEntity = defineEntity({
  type: 'clientSessionRun',
  schema: SessionRun,
  key: ({ hash, executionId }: { hash: string; executionId: string }) => ({
    PK: credentialPartition(hash),
    SK: `CLIENT_RUN#${executionId}`,
  }),
});

export const sessionRuns = /* @__PURE__ */ using(['table:write'], ({ table, now }: Scope) => ({
  find: (hash: string, executionId: string): Promise<SessionRun | undefined> =>
    table.get(sessionRunEntity, { hash, executionId }, { consistent: true }),

  insert: (run: SessionRun): Write =>
    table.writes.insert(sessionRunEntity, { ...run, ttl: unixSeconds(now()) + keptSeconds }),
}));

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
