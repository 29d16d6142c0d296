import { decrypt, encrypt } from '../../platform/aws/secrets-manager.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { PushSecrets } from './push-config.ts';

const keyEnv = 'TEST_KEYS_KMS_KEY';

interface Place {
  taskId: string;
  configId: string;
}

const toContext = (tenant: string, { taskId, configId }: Place) => ({ tenant, taskId, configId });

/** Encrypts the secrets of a config for its task, with the KMS key of test keys. @returns null if there are none. */
export const pushSealer = /* @__PURE__ */ using(
  ['push-secrets:write'],
  ({ table: { tenant } }: Scope) =>
    async (place: Place, secrets: PushSecrets): Promise<string | null> =>
      secrets.token === '' && secrets.credentials === ''
        ? null
        : encrypt(keyEnv, JSON.stringify(secrets), toContext(tenant, place)),
);

/** Decrypts the secrets of a config. @returns undefined for those of another config. Never store or return them. */
export const pushOpener = /* @__PURE__ */ using(
  ['push-secrets:read'],
  ({ table: { tenant } }: Scope) =>
    async (place: Place, sealed: string | null): Promise<PushSecrets | undefined> => {
      if (sealed === null) return { token: '', credentials: '' };
      const text = await decrypt(keyEnv, sealed, toContext(tenant, place));
      return text === undefined ? undefined : (JSON.parse(text) as PushSecrets);
    },
);
