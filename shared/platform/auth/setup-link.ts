import * as z from 'zod';
import { defineEntity } from '../data/entity.ts';
import { counters, credentialPartition } from './api-key.ts';

/** Who or what the values are for, as the one who made the link told it. */
export const SetupLinkContext = z.strictObject({
  type: z.enum(['product', 'agent', 'tool']),
  id: z.string().min(1).max(255),
});

/** What a setup link allows: to give values to these keys, for a while. Of its token only the hash is stored. */
export const SetupLink = z.object({
  hash: z.string(),
  id: z.string(),
  userId: z.string(),
  organizationId: z.string().nullable(),
  keys: z.array(z.string()),
  context: SetupLinkContext.nullable(),
  createdAt: z.string(),
  expiresAt: z.string(),
  ttl: z.int(),
  ...counters,
});
export type SetupLink = z.infer<typeof SetupLink>;

/** Beside the credentials of keys: like them it leads from a hash to a tenant. */
export const setupLinkEntity = defineEntity({
  type: 'intake',
  schema: SetupLink,
  key: ({ hash }: { hash: string }) => ({ PK: credentialPartition(hash), SK: 'INTAKE' }),
});
