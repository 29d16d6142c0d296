import { newId } from '../../../shared/core/ids.ts';
import { secretStore } from '../../../shared/domain/secrets/secret-store.ts';
import { secretValues } from '../../../shared/domain/secrets/secret-values.ts';
import {
  type SecretReader,
  type SecretVault,
  secretReader,
  secretVault,
} from '../../../shared/domain/secrets/secret-vault.ts';
import type { Scope } from '../../../shared/platform/data/scope.ts';
import { type Principal, toTenant } from '../../../shared/platform/identity/principal.ts';
import { expectStatus } from '../flows/flows.ts';
import { countingRuntime, type Tenant } from '../stack/stack.ts';

type Vault = SecretVault & SecretReader;

/** Secrets of a tenant of its own, below the API. What is given takes the place of parts of the vault. */
export function secretWorld(over: (vault: Vault) => Partial<Vault> = () => ({})) {
  const userId = newId('key');
  const tenant = toTenant(userId, null);
  const scope = countingRuntime().scopeOf(tenant);
  const real = { ...secretVault(scope), ...secretReader(scope) };
  const vault = { ...real, ...over(real) };
  const principal: Principal = {
    kind: 'session',
    tenant,
    userId,
    organizationId: null,
    environment: 'production',
    keyId: null,
    hash: null,
    permissions: ['*'],
    sourceIp: '203.0.113.7',
  };
  return {
    scope,
    table: scope.table,
    principal,
    vault,
    secrets: secretStore(scope, vault),
    /** The same as seen through another table or another vault. */
    secretsOn: (changes: Partial<Scope>, otherVault: SecretVault = real) =>
      secretStore({ ...scope, ...changes }, otherVault),
    /** What a run gets. */
    valueForRun: async (key: string) => (await secretValues(scope)([key])).get(key),
  };
}

/** A secret made through the API. */
export const newSecret = async ({ call }: Pick<Tenant, 'call'>, body: object) =>
  (await expectStatus(201, call('POST', '/v1/secrets', { body }))).data;
