import * as z from 'zod';
import { credentialPartition } from '../../platform/auth/api-key.ts';
import { defineEntity } from '../../platform/data/entity.ts';
import { jsonText } from '../../platform/data/json-text.ts';
import { sharedPartition, tenantPartition } from '../../platform/data/keys.ts';

export const tokenEnvironments = ['test', 'live'] as const;

/** The version that each flow and agent runs if a token pins none. */
export const latestVersion = 'latest';

/** Lets web pages run some flows and agents. Its value is public: pages contain it. */
export const ClientToken = z.object({
  id: z.string(),
  /** Incremented with each write, to detect concurrent changes. */
  revision: z.int(),
  userId: z.string(),
  organizationId: z.string().nullable(),
  name: z.string(),
  environment: z.enum(tokenEnvironments),
  value: z.string(),
  hash: z.string(),
  flowIds: z.array(z.string()),
  defaultFlowId: z.string().nullable(),
  agentIds: z.array(z.string()),
  allowedOrigins: z.array(z.string()),
  /** `latest`, or the id of a published version. */
  pinToVersion: z.string(),
  rateLimitPerMinute: z.int(),
  rateLimitPerHour: z.int(),
  maxMessagesPerSession: z.int(),
  sessionIdleTimeoutMinutes: z.int(),
  /** How a page shows the chat. */
  config: jsonText<Record<string, unknown>>(),
  /** The chat surface whose token it is, with its product. It is deleted with the surface. */
  surface: z.object({ productId: z.string(), id: z.string() }).nullable(),
  isActive: z.boolean(),
  lastUsedAt: z.string().nullable(),
  createdAt: z.string(),
  updatedAt: z.string(),
});
export type ClientToken = z.infer<typeof ClientToken>;

export const toStoredClientToken = (token: ClientToken): z.input<typeof ClientToken> => ({
  ...token,
  config: JSON.stringify(token.config),
});

export const clientTokensPartition = tenantPartition('CLIENTTOKENS');

export const clientTokenEntity = defineEntity({
  type: 'clientToken',
  noun: 'client token',
  schema: ClientToken,
  key: ({ id }: { id: string }) => ({ PK: clientTokensPartition, SK: id }),
});

/** Maps the hash of a token's value to the token and its owner. */
export const clientCredentialEntity = defineEntity({
  type: 'clientCredential',
  schema: z.object({
    hash: z.string(),
    tokenId: z.string(),
    userId: z.string(),
    organizationId: z.string().nullable(),
  }),
  key: ({ hash }: { hash: string }) => ({ PK: credentialPartition(hash), SK: 'CLIENT_TOKEN' }),
});

/** A client token of a chat surface, for pages that know only the surface. */
export const surfaceTokenEntity = defineEntity({
  type: 'surfaceToken',
  schema: z.object({ surfaceId: z.string(), tokenId: z.string(), tenant: z.string() }),
  key: ({ surfaceId, tokenId }: { surfaceId: string; tokenId: string }) => ({
    PK: surfaceTokensPartition(surfaceId),
    SK: tokenId,
  }),
});

export const surfaceTokensPartition = (surfaceId: string) => sharedPartition(`SURFACE#${surfaceId}#TOKENS`);
