import { hashKey, isClientToken, isWellFormedKey } from '../../platform/auth/key-format.ts';
import type { TenantTable } from '../../platform/data/table.ts';
import { toTenant } from '../../platform/identity/principal.ts';
import { clientCredentialEntity } from './client-token.ts';

/** For requests without another credential. A regenerated or deleted value finds nothing. @param table Of any tenant. */
export async function findByValue(
  table: Pick<TenantTable, 'get'>,
  value: string,
): Promise<{ tenant: string; tokenId: string } | undefined> {
  if (!isClientToken(value) || !isWellFormedKey(value)) return undefined;
  const key = { hash: hashKey(value) };
  const found = await table.get(clientCredentialEntity, key, { consistent: true });
  return found && { tenant: toTenant(found.userId, found.organizationId), tokenId: found.tokenId };
}
