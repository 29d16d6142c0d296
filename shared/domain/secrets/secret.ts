import * as z from 'zod';
import { SecretKey } from '../../core/secret-key.ts';
import { defineEntity } from '../../platform/data/entity.ts';
import { tenantPartition } from '../../platform/data/keys.ts';

/** What a secret hides. So short or blank a one that it stands in any text could not be kept out of any. */
export const SecretValue = z
  .string()
  .min(8, { abort: true })
  .max(10_000)
  .refine((value) => value.trim().length >= 8, 'Expected 8 characters at least beside the blanks around them')
  .refine((value) => value.isWellFormed(), 'Expected well-formed Unicode');

export const Description = z.string().max(500);

/** What is known of a secret. Its value is in Secrets Manager only. */
export const Secret = z.object({
  id: z.string(),
  key: SecretKey,
  description: z.string().nullable(),
  /** Pending: named, but without a value yet. Revoked: deleted, and remembered as such. */
  status: z.enum(['active', 'pending', 'revoked']),
  /** How many values it has had. */
  version: z.int(),
  /** The version of Secrets Manager that is its value, so that who reads it never meets another one. */
  valueId: z.string().nullable(),
  valuePreview: z.string().nullable(),
  userId: z.string(),
  organizationId: z.string().nullable(),
  lastRotatedAt: z.string().nullable(),
  createdAt: z.string(),
  updatedAt: z.string(),
});
export type Secret = z.infer<typeof Secret>;

/** All secrets of a tenant, by their keys. */
export const secretsPartition = tenantPartition('SECRETS');

export const secretEntity = defineEntity({
  type: 'secret',
  schema: Secret,
  key: ({ key }: { key: string }) => ({ PK: secretsPartition, SK: key }),
});

/** Leads from a secret's id to its key. */
export const secretIdEntity = defineEntity({
  type: 'secretId',
  schema: z.object({ id: z.string(), key: z.string() }),
  key: ({ id }: { id: string }) => ({ PK: tenantPartition(`SECRET#${id}`), SK: 'ID' }),
});

/** All that names a secret. */
export const secretUsesPartition = (key: string) => tenantPartition(`SECRETUSES#${key}`);

/** Says that something live, a flow for instance, names a secret, whether that is there or not. */
export const secretUseEntity = defineEntity({
  type: 'secretUse',
  schema: z.object({ key: z.string(), by: z.string() }),
  key: ({ key, by }: { key: string; by: string }) => ({
    PK: secretUsesPartition(key),
    SK: by,
  }),
});
