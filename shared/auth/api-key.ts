import * as z from 'zod';
import { defineEntity } from '../data/entity.ts';
import type { Scope } from '../runtime.ts';

/** Requests counted since each window began. A window begins with its first request and ends at `…EndsAt` (Unix seconds). */
const counters = {
  hourCount: z.int(),
  hourEndsAt: z.int(),
  dayCount: z.int(),
  dayEndsAt: z.int(),
  lastUsedAt: z.string().nullable(),
};

/** The counters of a key that was never used. */
export const unused = { hourCount: 0, hourEndsAt: 0, dayCount: 0, dayEndsAt: 0, lastUsedAt: null };

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
  isActive: z.boolean(),
  expiresAt: z.string().nullable(),
  /** The key's own limits; the deployment's where they are missing. */
  perHour: z.int().optional(),
  perDay: z.int().optional(),
  createdAt: z.string(),
  updatedAt: z.string(),
  ...counters,
});
export type ApiKey = z.infer<typeof ApiKey>;

const partition = (tenant: string) => `T#${tenant}#KEYS`;

export const apiKeyEntity = defineEntity({
  type: 'apiKey',
  schema: ApiKey,
  key: (tenant, { id }: { id: string }) => ({ PK: partition(tenant), SK: id }),
});

/** How often a user's sessions called. */
export const sessionMeterEntity = defineEntity({
  type: 'sessionMeter',
  schema: z.object({ userId: z.string(), ttl: z.int(), ...counters }),
  key: (tenant, { userId }: { userId: string }) => ({ PK: `T#${tenant}#USER#${userId}`, SK: 'METER' }),
});

/** From the hash of a key to its owner: what the authorizer reads. The only kind of item that no tenant's name begins. */
export const credentialEntity = defineEntity({
  type: 'credential',
  schema: z.object({
    hash: z.string(),
    keyId: z.string(),
    userId: z.string(),
    organizationId: z.string().nullable(),
    environment: z.enum(['production', 'test']),
  }),
  key: (_tenant, { hash }: { hash: string }) => ({ PK: `CREDENTIAL#${hash}`, SK: 'CREDENTIAL' }),
});

export type ApiKeyStore = ReturnType<typeof apiKeyStore>;

export const apiKeyStore = ({ table }: Scope) => ({
  /** The key and what finds it by its value, both or neither. */
  create: (key: ApiKey) =>
    table.commit([
      table.writes.insert(apiKeyEntity, key),
      table.writes.insert(credentialEntity, { ...key, keyId: key.id }),
    ]),

  /** All of the tenant's keys, newest first. */
  async list(): Promise<ApiKey[]> {
    const range = { partition: partition(table.tenant), newestFirst: true, consistent: true };
    return (await table.queryAll(range)).map((item) => ApiKey.parse(item));
  },
});
