import {
  CreateSecretCommand,
  DeleteSecretCommand,
  GetSecretValueCommand,
  PutSecretValueCommand,
  ResourceExistsException,
  ResourceNotFoundException,
  SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import { requireEnv, type Scope } from '../runtime.ts';

let client: SecretsManagerClient | undefined;
const manager = () => {
  client ??= new SecretsManagerClient({});
  return client;
};

/** The plaintext of test keys, which a session may reveal again. Live keys are never kept. */
export const testKeyVault = ({ table }: Scope) => {
  const owner = Buffer.from(table.tenant).toString('base64url');
  const nameOf = (keyId: string) => `${requireEnv('SECRETS_PREFIX')}/${owner}/api-keys/${keyId}`;
  return {
    /** Keeps a key's value, in place of the one before. */
    async keep(keyId: string, plainKey: string): Promise<void> {
      const value = { SecretString: plainKey };
      try {
        await manager().send(new CreateSecretCommand({ Name: nameOf(keyId), ...value }));
      } catch (error) {
        if (!(error instanceof ResourceExistsException)) throw error;
        await manager().send(new PutSecretValueCommand({ SecretId: nameOf(keyId), ...value }));
      }
    },

    async read(keyId: string): Promise<string | undefined> {
      try {
        const { SecretString } = await manager().send(new GetSecretValueCommand({ SecretId: nameOf(keyId) }));
        return SecretString;
      } catch (error) {
        if (error instanceof ResourceNotFoundException) return undefined;
        throw error;
      }
    },

    /** Forgets it for good: nobody can bring back a deleted key. */
    async forget(keyId: string): Promise<void> {
      await manager().send(
        new DeleteSecretCommand({ SecretId: nameOf(keyId), ForceDeleteWithoutRecovery: true }),
      );
    },
  };
};
