import {
  DeleteSecretCommand,
  GetSecretValueCommand,
  ResourceNotFoundException,
} from '@aws-sdk/client-secrets-manager';
import { secretName, secretsManager } from '../../platform/aws/secrets-manager.ts';

/** Where values of test keys were until migration 1: a secret of Secrets Manager each. Read, no longer written. */
export async function readFormerValue(tenant: string, keyId: string): Promise<string | undefined> {
  try {
    const SecretId = secretName(tenant, 'api-keys', keyId);
    return (await secretsManager().send(new GetSecretValueCommand({ SecretId }))).SecretString;
  } catch (error) {
    if (error instanceof ResourceNotFoundException) return undefined;
    throw error;
  }
}

/** Deletes it without a recovery window: deleted keys cannot be restored. A missing one is no error. */
export async function removeFormerValue(tenant: string, keyId: string): Promise<void> {
  const SecretId = secretName(tenant, 'api-keys', keyId);
  await secretsManager().send(new DeleteSecretCommand({ SecretId, ForceDeleteWithoutRecovery: true }));
}
