import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { requireEnv } from '../../core/environment.ts';
import { loadOnce } from '../../core/load-once.ts';
import { withoutSdkLogger } from './without-sdk-logger.ts';

/** Also of a hanging Secrets Manager something is left of the request's 29 s. */
const requestHandler = { connectionTimeout: 2_000, requestTimeout: 5_000, throwOnRequestTimeout: true };

export const secretsManager = loadOnce(() => withoutSdkLogger(new SecretsManagerClient({ requestHandler })));

/** What a tenant keeps in Secrets Manager has names of its own, which roles are granted by their parts. */
export const secretName = (tenant: string, kind: 'api-keys' | 'secrets', id: string) =>
  `${requireEnv('SECRETS_PREFIX')}/${Buffer.from(tenant).toString('base64url')}/${kind}/${id}`;
