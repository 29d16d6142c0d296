import {
  CreateSecretCommand,
  DeleteSecretCommand,
  GetSecretValueCommand,
  PutSecretValueCommand,
  ResourceExistsException,
  ResourceNotFoundException,
} from '@aws-sdk/client-secrets-manager';
import { secretName, secretsManager } from '../../platform/aws/secrets-manager.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';

/** The plaintext of test keys, which a session may reveal. The plaintext of live keys is never stored. */
export const testKeyVault = /* @__PURE__ */ using(['test-keys'], ({ table }: Scope) => {
  const nameOf = (keyId: string) => secretName(table.tenant, 'api-keys', keyId);
  return {
    /** Stores a key's value. Replaces the previous one. */
    async store(keyId: string, plainKey: string): Promise<void> {
      const value = { SecretString: plainKey };
      try {
        await secretsManager().send(new CreateSecretCommand({ Name: nameOf(keyId), ...value }));
      } catch (error) {
        if (!(error instanceof ResourceExistsException)) throw error;
        await secretsManager().send(new PutSecretValueCommand({ SecretId: nameOf(keyId), ...value }));
      }
    },

    async read(keyId: string): Promise<string | undefined> {
      try {
        const { SecretString } = await secretsManager().send(
          new GetSecretValueCommand({ SecretId: nameOf(keyId) }),
        );
        return SecretString;
      } catch (error) {
        if (error instanceof ResourceNotFoundException) return undefined;
        throw error;
      }
    },

    /** Deletes it without a recovery window: deleted keys cannot be restored. */
    async delete(keyId: string): Promise<void> {
      await secretsManager().send(
        new DeleteSecretCommand({ SecretId: nameOf(keyId), ForceDeleteWithoutRecovery: true }),
      );
    },
  };
});
