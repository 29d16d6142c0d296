import { createLoadingCache } from '../../core/cache.ts';
import { rememberSecretValue } from '../../core/redaction/known-values.ts';
import { decrypt, encrypt } from '../../platform/aws/kms.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';

const keyEnv = 'TEST_KEYS_KMS_KEY';

/** A shorter value is no secret, and would match ordinary text. */
export const secretLengthMin = 8;

type Tenant = Pick<Scope, 'table'>;

const toContext = ({ table: { tenant } }: Tenant) => ({ tenant, purpose: 'telemetry' });

const remember = (value: string) => {
  if (value.trim().length >= secretLengthMin) rememberSecretValue(value);
};

/** Encrypts values of headers, with the KMS key of test keys. */
export const headerSealer = /* @__PURE__ */ using(
  ['telemetry-secrets:write'],
  (scope: Tenant) =>
    (value: string): Promise<string> => {
      remember(value);
      return encrypt(keyEnv, value, toContext(scope));
    },
);

const opened = createLoadingCache<string | undefined>({ entriesMax: 500, ttlMs: 600_000 });

/** Decrypts them. Never store or return them. */
export const headerOpener = /* @__PURE__ */ using(
  ['telemetry-secrets:read'],
  (scope: Tenant) =>
    async (sealed: string): Promise<string> => {
      const context = toContext(scope);
      const load = () => decrypt(keyEnv, sealed, context);
      const value = await opened(`${context.tenant} ${sealed}`, load);
      if (value === undefined) throw new Error('The value of a telemetry header cannot be decrypted');
      remember(value);
      return value;
    },
);
