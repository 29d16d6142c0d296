import { vi } from 'vitest';
import { newId } from '../../../shared/core/ids.ts';
import { configStore } from '../../../shared/domain/model-configs/config-store.ts';
import { modelResolver } from '../../../shared/domain/model-configs/model-resolver.ts';
import { type NewKey, providerKeyStore } from '../../../shared/domain/model-configs/provider-key-store.ts';
import { type Principal, toTenant } from '../../../shared/platform/identity/principal.ts';
import { countingRuntime } from '../stack/stack.ts';

/** The deployment's keys, and nothing else of the environment. */
export function deploymentKeys(keys: Record<string, string> = {}): void {
  const names = [
    'MISTRAL_API_KEY',
    'AWS_BEARER_TOKEN_BEDROCK',
    'BEDROCK_REGION',
    'OPENAI_API_KEY',
    'ANTHROPIC_API_KEY',
    'GROQ_API_KEY',
    'TOGETHER_API_KEY',
    'GENERIC_OPENAI_BASE_URL',
    'GENERIC_OPENAI_EMBEDDING_MODEL',
  ];
  for (const name of names) vi.stubEnv(name, '');
  for (const [name, value] of Object.entries(keys)) vi.stubEnv(name, value);
}

/** Model configs and provider keys of a tenant of its own, below the API, and what was asked of the table. */
export function modelWorld() {
  const userId = newId('key');
  const tenant = toTenant(userId, null);
  const runtime = countingRuntime();
  const scope = runtime.scopeOf(tenant);
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
  const configs = configStore(scope);
  const keys = providerKeyStore(scope);
  return {
    scope,
    principal,
    configs,
    keys,
    runtime,
    config: async (given: Parameters<typeof configs.create>[1]) =>
      (await configs.create(principal, given)).config,
    key: (given: Partial<NewKey> = {}) =>
      keys.create(principal, { provider: 'openai', name: 'own', apiKey: 'the-own-key', ...given }),
    /** What a run that starts now resolves, in an invocation of its own. */
    resolver: () => modelResolver({ ...scope }),
    resolve: (name: string) => modelResolver({ ...scope }).resolve(name),
  };
}
