import * as z from 'zod';
import { defineEntity } from '../data/entity.ts';
import { sharedPartition, tenantPartition } from '../data/keys.ts';

/** Requests per window. A window starts with its first request and ends at `…EndsAt` (Unix seconds). */
export const counters = {
  hourCount: z.int(),
  hourEndsAt: z.int(),
  dayCount: z.int(),
  dayEndsAt: z.int(),
  lastUsedAt: z.string().nullable(),
};

export const uses = { usageCount: z.int().optional(), lifetimeMax: z.int().optional() };

export const zeroCounters = { hourCount: 0, hourEndsAt: 0, dayCount: 0, dayEndsAt: 0, lastUsedAt: null };

export const ApiKey = z.object({
  id: z.string(),
  name: z.string(),
  userId: z.string(),
  organizationId: z.string().nullable(),
  environment: z.enum(['production', 'test']),
  hash: z.string(),
  keyPrefix: z.string(),
  searchHint: z.string(),
  permissions: z.array(z.string()),
  allowedIps: z.array(z.string()),
  /** The only product whose surfaces it can use, if it was created with one. */
  productId: z.string().optional(),
  isActive: z.boolean(),
  expiresAt: z.string().nullable(),
  /** The key's own limits. If they are absent, the default limits apply. */
  perHour: z.int().optional(),
  perDay: z.int().optional(),
  createdAt: z.string(),
  updatedAt: z.string(),
  ...counters,
  ...uses,
});
export type ApiKey = z.infer<typeof ApiKey>;

export const keysPartition = tenantPartition('KEYS');

export const apiKeyEntity = defineEntity({
  type: 'apiKey',
  noun: 'API key',
  schema: ApiKey,
  key: ({ id }: { id: string }) => ({ PK: keysPartition, SK: id }),
});

export const sessionRateLimitEntity = defineEntity({
  type: 'sessionMeter',
  schema: z.object({ userId: z.string(), ttl: z.int(), ...counters }),
  key: ({ userId }: { userId: string }) => ({ PK: tenantPartition(`USER#${userId}`), SK: 'METER' }),
});

/** The rate limit counters of callers without a credential, by their network. */
export const addressRateLimitEntity = defineEntity({
  type: 'addressMeter',
  schema: z.object({
    network: z.string(),
    ttl: z.int(),
    ...counters,
    minuteCount: z.int().optional(),
    minuteEndsAt: z.int().optional(),
  }),
  key: ({ network }: { network: string }) => ({ PK: sharedPartition(`ADDRESS#${network}`), SK: 'METER' }),
});

/** The partition of one credential: of an API key or a setup link. */
export const credentialPartition = (hash: string) => sharedPartition(`CREDENTIAL#${hash}`);

/** Maps the hash of a key to its owner, for the authorizer. */
export const credentialEntity = defineEntity({
  type: 'credential',
  schema: z.object({
    hash: z.string(),
    keyId: z.string(),
    userId: z.string(),
    organizationId: z.string().nullable(),
    environment: z.enum(['production', 'test']),
    productId: z.string().optional(),
  }),
  key: ({ hash }: { hash: string }) => ({ PK: credentialPartition(hash), SK: 'CREDENTIAL' }),
});

export const toCredential = (key: ApiKey) => credentialEntity.schema.parse({ ...key, keyId: key.id });
