import { CreateSecretCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { requireEnv, type Scope } from '../runtime.ts';

let client: SecretsManagerClient | undefined;

/** The plaintext of test keys, which a session may reveal again. Live keys are never kept. */
export const testKeyVault = ({ table }: Scope) => ({
  async keep(keyId: string, plainKey: string): Promise<void> {
    client ??= new SecretsManagerClient({});
    const owner = Buffer.from(table.tenant).toString('base64url');
    const Name = `${requireEnv('SECRETS_PREFIX')}/${owner}/api-keys/${keyId}`;
    await client.send(new CreateSecretCommand({ Name, SecretString: plainKey }));
  },
});
