import * as z from 'zod';
import { credentialPartition } from '../../platform/auth/api-key.ts';
import { defineEntity } from '../../platform/data/entity.ts';

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
