import * as z from 'zod';
import { defineEntity } from '../data/entity.ts';
import { counters, credentialPartition } from './api-key.ts';

/** The consumer of the values, as the creator of the link describes it. */
export const SetupLinkContext = z.strictObject({
  type: z.enum(['product', 'agent', 'tool']),
  id: z.string().min(1).max(255),
});

/** Allows its holder to set the values of these keys. The table stores only the hash of its token. */
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

/** Stored with the credentials of API keys: both map a hash to a tenant. */
export const setupLinkEntity = defineEntity({
  type: 'intake',
  schema: SetupLink,
  key: ({ hash }: { hash: string }) => ({ PK: credentialPartition(hash), SK: 'INTAKE' }),
});
