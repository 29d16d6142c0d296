import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';

/** Apart, so that only a deployment that keeps its keys in Secrets Manager loads the client for it. */
export async function readSecretText(SecretId: string): Promise<string> {
  const { SecretString } = await new SecretsManagerClient({}).send(new GetSecretValueCommand({ SecretId }));
  if (!SecretString) throw new Error('The secret of the model providers is empty');
  return SecretString;
}
