import * as z from 'zod';
import { credentialPartition } from '../../platform/auth/api-key.ts';
import { hashKey, isWellFormedKey } from '../../platform/auth/key-format.ts';
import { defineEntity } from '../../platform/data/entity.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { Runtime } from '../../platform/runtime.ts';

/** Lets whoever has its token answer for a run. The table stores only the hash. */
export const WaitLink = z.object({
  hash: z.string(),
  tenant: z.string(),
  runId: z.string(),
  path: z.string(),
  /** To whom it was sent; null for the address of a callback. */
  address: z.string().nullable(),
  ttl: z.int(),
});
export type WaitLink = z.infer<typeof WaitLink>;

/** Stored with the credentials of API keys: both map a hash to a tenant. */
export const waitLinkEntity = defineEntity({
  type: 'waitLink',
  schema: WaitLink,
  key: ({ hash }: { hash: string }) => ({ PK: credentialPartition(hash), SK: 'WAIT' }),
});

/** The link of a token; undefined for a wrong one. */
export async function linkOfToken(
  { table }: Pick<Scope, 'table'>,
  token: unknown,
): Promise<WaitLink | undefined> {
  if (typeof token !== 'string' || !isWellFormedKey(token)) return undefined;
  return table.get(waitLinkEntity, { hash: hashKey(token) }, { consistent: true });
}

/** The scope of the tenant whose run waits for the holder of a token. */
export async function findTokenScope(token: unknown, { scopeOf }: Runtime): Promise<Scope | undefined> {
  const link = await linkOfToken(scopeOf(''), token);
  return link && scopeOf(link.tenant);
}
