import * as z from 'zod';
import { defineEntity } from '../data/entity.ts';
import { tenantPartition } from '../data/keys.ts';
import { credentialPartition, uses } from './api-key.ts';

/** A key that can call the items of one surface. The table stores only the hash of its value. */
export const SurfaceKey = z.object({
  id: z.string(),
  productId: z.string(),
  surfaceId: z.string(),
  userId: z.string(),
  organizationId: z.string().nullable(),
  name: z.string().nullable(),
  environment: z.enum(['production', 'test']),
  hash: z.string(),
  keyPrefix: z.string(),
  searchHint: z.string(),
  /** The slugs of the items that it can call; empty for all. */
  scopes: z.array(z.string()),
  isActive: z.boolean(),
  expiresAt: z.string().nullable(),
  /** The key's own limits. If they are absent, the default limits apply. */
  perMinute: z.int().optional(),
  perDay: z.int().optional(),
  createdAt: z.string(),
  minuteCount: z.int(),
  minuteEndsAt: z.int(),
  dayCount: z.int(),
  dayEndsAt: z.int(),
  lastUsedAt: z.string().nullable(),
  ...uses,
});
export type SurfaceKey = z.infer<typeof SurfaceKey>;

export const unusedSurfaceKey = {
  minuteCount: 0,
  minuteEndsAt: 0,
  dayCount: 0,
  dayEndsAt: 0,
  lastUsedAt: null,
  usageCount: 0,
};

export const surfaceKeysPartition = (surfaceId: string) => tenantPartition(`SURFACE#${surfaceId}#KEYS`);

export const surfaceKeyEntity = defineEntity({
  type: 'surfaceKey',
  schema: SurfaceKey,
  key: ({ surfaceId, id }: { surfaceId: string; id: string }) => ({
    PK: surfaceKeysPartition(surfaceId),
    SK: id,
  }),
});

/** Maps the hash of a key to its owner, for the authorizer. */
export const surfaceCredentialEntity = defineEntity({
  type: 'surfaceCredential',
  schema: SurfaceKey.pick({
    hash: true,
    surfaceId: true,
    userId: true,
    organizationId: true,
    environment: true,
  }).extend({ keyId: z.string() }),
  key: ({ hash }: { hash: string }) => ({ PK: credentialPartition(hash), SK: 'SURFACE_KEY' }),
});

export const toSurfaceCredential = (key: SurfaceKey) =>
  surfaceCredentialEntity.schema.parse({ ...key, keyId: key.id });
