import type { Use } from '../../../shared/platform/aws/uses.ts';
import { allowActions, allowSecrets } from '../conventions/statements.ts';
import type { RoleGrant } from './role-grant.ts';

const anyOfTenant = 'of its tenant, and the same workers run all tenants.';
// Lambdas that store values need not read them.
const storing = ['CreateSecret', 'PutSecretValue', 'DeleteSecret', 'RestoreSecret'];

const onSecrets =
  (folder: string, actions: string[], reason: string): RoleGrant =>
  (role, { secretsPrefix }) =>
    allowSecrets(role, actions, `${secretsPrefix}/*/${folder}/*`, reason);

const tenantFirst = (what: string) => `The names of ${what} start with the tenant.`;

/** Values in Secrets Manager. */
export const secretGrants = {
  'provider-keys': (role, { providerKeys }) =>
    allowActions(role, ['secretsmanager:GetSecretValue'], [providerKeys.secretArn]),
  'test-keys:former': onSecrets('api-keys', ['GetSecretValue', 'DeleteSecret'], tenantFirst('test keys')),
  'test-keys:restore': onSecrets(
    'api-keys',
    ['RestoreSecret'],
    'A migration moves the values of all tenants.',
  ),
  'secrets:write': onSecrets('secrets', storing, tenantFirst('secrets')),
  'secrets:read': onSecrets('secrets', ['GetSecretValue'], `A run may reference any secret ${anyOfTenant}`),
  'own-keys:write': onSecrets('provider-keys', storing, tenantFirst('provider keys')),
  'own-keys:read': onSecrets(
    'provider-keys',
    ['GetSecretValue'],
    `A run may use any provider key ${anyOfTenant}`,
  ),
  'agent-credentials:write': onSecrets('agents', storing, tenantFirst('credentials')),
  'agent-credentials:read': onSecrets(
    'agents',
    ['GetSecretValue'],
    `A run may use any credential of an agent ${anyOfTenant}`,
  ),
  'surface-secrets:write': onSecrets(
    'surfaces',
    ['CreateSecret', 'PutSecretValue', 'RestoreSecret'],
    tenantFirst('the secrets of surfaces'),
  ),
  'surface-secrets:delete': onSecrets('surfaces', ['DeleteSecret'], tenantFirst('the secrets of surfaces')),
  'surface-secrets:read': onSecrets(
    'surfaces',
    ['GetSecretValue'],
    'Senders of webhooks call the surfaces of any tenant, and the same Lambdas verify all of them.',
  ),
} satisfies Partial<Record<Use, RoleGrant>>;
