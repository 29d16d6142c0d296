import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { loadOnce } from '../../core/concurrency/load-once.ts';
import { requireEnv } from '../../core/environment.ts';
import { removeSdkLogger, shortTimeouts } from './sdk-clients.ts';

export const secretsManager = loadOnce(() =>
  removeSdkLogger(new SecretsManagerClient({ requestHandler: shortTimeouts })),
);

/** The name of a tenant's secret in Secrets Manager. IAM grants match its parts. */
export const composeSecretName = (
  tenant: string,
  kind: 'api-keys' | 'secrets' | 'provider-keys' | 'agents' | 'surfaces',
  id: string,
) => `${requireEnv('SECRETS_PREFIX')}/${Buffer.from(tenant).toString('base64url')}/${kind}/${id}`;
