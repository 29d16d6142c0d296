import {
  DeleteSecretCommand,
  GetSecretValueCommand,
  InvalidRequestException,
  ResourceNotFoundException,
  RestoreSecretCommand,
} from '@aws-sdk/client-secrets-manager';
import { composeSecretName, secretsManager } from '../../platform/aws/secrets-manager.ts';

/** Where values of test keys were until migration 1: a secret of Secrets Manager each. Read, no longer written. */
const toSecretName = (tenant: string, keyId: string) => composeSecretName(tenant, 'api-keys', keyId);

/** @returns undefined if there is none, or if it is being deleted. */
export async function readFormerValue(tenant: string, keyId: string): Promise<string | undefined> {
  const command = new GetSecretValueCommand({ SecretId: toSecretName(tenant, keyId) });
  return (await secretsManager().send(command).catch(ignoreMissing))?.SecretString;
}

/** The same, but first restores one that is being deleted. */
export async function restoreFormerValue(tenant: string, keyId: string): Promise<string | undefined> {
  await secretsManager()
    .send(new RestoreSecretCommand({ SecretId: toSecretName(tenant, keyId) }))
    .catch(ignoreMissing);
  return readFormerValue(tenant, keyId);
}

/** Deletes it without a recovery window: deleted keys cannot be restored. A missing one is no error. */
export async function removeFormerValue(tenant: string, keyId: string): Promise<void> {
  const SecretId = toSecretName(tenant, keyId);
  await secretsManager().send(new DeleteSecretCommand({ SecretId, ForceDeleteWithoutRecovery: true }));
}

/** The longest window. A table that is restored to a moment before the migration needs the value. */
const recoveryDays = 30;

/** Deletes it after a recovery window. */
export async function retireFormerValue(tenant: string, keyId: string): Promise<void> {
  const SecretId = toSecretName(tenant, keyId);
  await secretsManager()
    .send(new DeleteSecretCommand({ SecretId, RecoveryWindowInDays: recoveryDays }))
    .catch(ignoreMissing);
}

function ignoreMissing(error: unknown): undefined {
  if (error instanceof ResourceNotFoundException || error instanceof InvalidRequestException) return;
  throw error;
}
