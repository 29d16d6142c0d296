import { randomBytes } from 'node:crypto';
import { rememberSecretValue } from '../../core/redaction/known-values.ts';
import { decrypt, encrypt } from '../../platform/aws/kms.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';

const keyEnv = 'TEST_KEYS_KMS_KEY';

type Tenant = Pick<Scope, 'table'>;

const contextOf = ({ table: { tenant } }: Tenant) => ({ tenant, purpose: 'budget' });

/** Makes the key that signs what the webhook of a budget gets. `value` is shown once, `sealed` is stored. */
export const notifySecretMaker = /* @__PURE__ */ using(
  ['budget-secrets:write'],
  (scope: Tenant) => async (): Promise<{ value: string; sealed: string }> => {
    const value = `whsec_${randomBytes(32).toString('base64')}`;
    rememberSecretValue(value);
    return { value, sealed: await encrypt(keyEnv, value, contextOf(scope)) };
  },
);

/** Decrypts it. Never store or return it. */
export const notifySecretOpener = /* @__PURE__ */ using(
  ['budget-secrets:read'],
  (scope: Tenant) =>
    async (sealed: string): Promise<string | undefined> => {
      const value = await decrypt(keyEnv, sealed, contextOf(scope));
      if (value !== undefined) rememberSecretValue(value);
      return value;
    },
);
