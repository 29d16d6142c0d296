import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { requireEnv } from '../../core/environment.ts';
import { loadOnce } from '../../core/load-once.ts';
import { withoutSdkLogger } from './without-sdk-logger.ts';

/** Short timeouts, so that a request still has time left within its 29 s if Secrets Manager hangs. */
const requestHandler = { connectionTimeout: 2_000, requestTimeout: 5_000, throwOnRequestTimeout: true };

export const secretsManager = loadOnce(() => withoutSdkLogger(new SecretsManagerClient({ requestHandler })));

/** The name of a tenant's secret in Secrets Manager. IAM grants match its parts. */
export const secretName = (tenant: string, kind: 'api-keys' | 'secrets', id: string) =>
  `${requireEnv('SECRETS_PREFIX')}/${Buffer.from(tenant).toString('base64url')}/${kind}/${id}`;
