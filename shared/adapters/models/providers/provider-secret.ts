import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';

/** A separate module, so that only deployments with keys in Secrets Manager load its client. */
export async function readSecretText(SecretId: string): Promise<string> {
  const { SecretString } = await new SecretsManagerClient({}).send(new GetSecretValueCommand({ SecretId }));
  if (!SecretString) throw new Error('The secret named by PROVIDER_KEYS_SECRET is empty');
  return SecretString;
}
