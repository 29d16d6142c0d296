import * as z from 'zod';
import { SecretKey } from '../../core/secret-references.ts';
import { defineEntity } from '../../platform/data/entity.ts';
import { tenantPartition } from '../../platform/data/keys.ts';

/** Short or blank values are rejected: they would match ordinary text during redaction (D236). */
export const SecretValue = z
  .string()
  .min(8, { abort: true })
  .max(10_000)
  .refine(
    (value) => value.trim().length >= 8,
    'Expected at least 8 characters, not counting surrounding whitespace',
  )
  .refine((value) => value.isWellFormed(), 'Expected well-formed Unicode')
  // Forms do not show what one types.
  .meta({ format: 'password', writeOnly: true });

export const SecretDescription = z.string().max(500);

/** A secret without its value, which is stored in Secrets Manager only. */
export const Secret = z.object({
  id: z.string(),
  key: SecretKey,
  description: z.string().nullable(),
  /** pending: has no value yet. revoked: deleted, kept as a tombstone. */
  status: z.enum(['active', 'pending', 'revoked']),
  /** Counts its values. */
  version: z.int(),
  /** The version in Secrets Manager with its value, so that a reader never gets another one. */
  valueId: z.string().nullable(),
  valuePreview: z.string().nullable(),
  userId: z.string(),
  organizationId: z.string().nullable(),
  lastRotatedAt: z.string().nullable(),
  createdAt: z.string(),
  updatedAt: z.string(),
});
export type Secret = z.infer<typeof Secret>;

export const secretsPartition = tenantPartition('SECRETS');

export const secretEntity = defineEntity({
  type: 'secret',
  schema: Secret,
  key: ({ key }: { key: string }) => ({ PK: secretsPartition, SK: key }),
});

/** Maps a secret's id to its key. */
export const secretIdEntity = defineEntity({
  type: 'secretId',
  schema: z.object({ id: z.string(), key: z.string() }),
  key: ({ id }: { id: string }) => ({ PK: tenantPartition(`SECRET#${id}`), SK: 'ID' }),
});

export const secretUsesPartition = (key: string) => tenantPartition(`SECRETUSES#${key}`);

/** Records that a live resource, such as a flow, references a secret, whether the secret exists or not. */
export const secretUseEntity = defineEntity({
  type: 'secretUse',
  schema: z.object({ key: z.string(), by: z.string() }),
  key: ({ key, by }: { key: string; by: string }) => ({
    PK: secretUsesPartition(key),
    SK: by,
  }),
});
