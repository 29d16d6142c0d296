import * as z from 'zod';
import { credentialPartition } from '../../platform/auth/api-key.ts';
import { hashKey, isWellFormedKey } from '../../platform/auth/key-format.ts';
import { defineEntity } from '../../platform/data/entity.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { toTenant } from '../../platform/identity/principal.ts';
import type { Runtime } from '../../platform/runtime.ts';

/** What a person allowed: an API key for whoever has the code and the verifier. The table stores only the hash of the code. */
const CommandLineLogin = z.object({
  hash: z.string(),
  id: z.string(),
  userId: z.string(),
  organizationId: z.string().nullable(),
  /** The SHA-256 of the verifier, as base64url (RFC 7636). */
  challenge: z.string(),
  host: z.string(),
  permissions: z.array(z.string()),
  expiresAt: z.string(),
  ttl: z.int(),
});
export type CommandLineLogin = z.infer<typeof CommandLineLogin>;

/** Stored with the credentials of API keys: both map a hash to a tenant. */
export const commandLineLoginEntity = defineEntity({
  type: 'commandLineLogin',
  schema: CommandLineLogin,
  key: ({ hash }: { hash: string }) => ({ PK: credentialPartition(hash), SK: 'LOGIN' }),
});

/** The login of a code; undefined for a wrong or used one. */
export async function loginOfCode(
  { table }: Pick<Scope, 'table'>,
  code: unknown,
): Promise<CommandLineLogin | undefined> {
  if (typeof code !== 'string' || !isWellFormedKey(code)) return undefined;
  return table.get(commandLineLoginEntity, { hash: hashKey(code) }, { consistent: true });
}

/** The scope of the tenant in which a person allowed a login. */
export async function findCodeScope(code: unknown, { scopeOf }: Runtime): Promise<Scope | undefined> {
  const login = await loginOfCode(scopeOf(''), code);
  return login && scopeOf(toTenant(login.userId, login.organizationId));
}
