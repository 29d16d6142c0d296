import { type Principal, toContext } from '../../../shared/platform/identity/principal.ts';
import type { Tenant } from './stack.ts';

/** What the authorizer would say of a tenant's session. */
export const tenantPrincipal = (
  { tenant, userId, organizationId }: Tenant,
  changes: Partial<Principal> = {},
) =>
  toContext({
    kind: 'session',
    tenant,
    userId,
    organizationId,
    environment: 'production',
    keyId: null,
    hash: null,
    permissions: ['*'],
    ...changes,
  });

/** The same as a handler sees it. */
export const principalHere = (tenant: Tenant): Principal => ({
  ...(JSON.parse(tenantPrincipal(tenant).principal) as Principal),
  sourceIp: null,
});
