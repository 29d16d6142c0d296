/**
 * The only place that writes and reads values of secrets in Secrets Manager.
 *
 * Each value is a version with an id of its own, which the item in the table names; older versions stay readable for a day, so
 * a run that began before a change finds its value. Writers, readers and revokers of each kind of secret are apart, because
 * each has IAM permissions of its own. Every value that passes is remembered for redaction in logs.
 */

import { randomUUID } from 'node:crypto';
import {
  CreateSecretCommand,
  DeleteSecretCommand,
  GetSecretValueCommand,
  InvalidRequestException,
  LimitExceededException,
  PutSecretValueCommand,
  ResourceExistsException,
  ResourceNotFoundException,
  RestoreSecretCommand,
} from '@aws-sdk/client-secrets-manager';
import { conflict } from '../../core/errors/errors.ts';
import { rememberSecretValue } from '../../core/redaction/known-values.ts';
import { composeSecretName, secretsManager } from '../../platform/aws/secrets-manager.ts';
import { using } from '../../platform/aws/uses.ts';
import type { TenantTable } from '../../platform/data/table.ts';

export type SecretVault = ReturnType<typeof secretVault>;
export type SecretReader = ReturnType<typeof secretReader>;

type SecretKind = 'secrets' | 'provider-keys' | 'agents' | 'surfaces';

const recoveryDays = 7;

interface Tenant {
  table: Pick<TenantTable, 'tenant'>;
}

const createRevoker =
  (kind: SecretKind) =>
  ({ table: { tenant } }: Tenant) => ({
    /** Makes all values unreadable; they are deleted a week later. Idempotent. */
    async revoke(secretId: string): Promise<void> {
      const command = new DeleteSecretCommand({
        SecretId: createNamer(tenant, kind)(secretId),
        RecoveryWindowInDays: recoveryDays,
      });
      await secretsManager()
        .send(command)
        .catch(onError(ResourceNotFoundException))
        .catch(onError(InvalidRequestException));
    },
  });

/** Each value is a version. Secrets Manager keeps unlabelled ones for at least a day, so readers find what the table names. */
const createVault =
  (kind: SecretKind) =>
  ({ table: { tenant } }: Tenant) => {
    const nameOf = createNamer(tenant, kind);

    return {
      /** @returns the id for the reader. @param restores Whether to restore a secret that is being deleted, instead of a 409. */
      async store(secretId: string, value: string, { restores = true } = {}): Promise<string> {
        rememberSecretValue(value);
        const name = nameOf(secretId);
        const valueId = randomUUID();
        const version = { SecretString: value, ClientRequestToken: valueId };
        const put = () => secretsManager().send(new PutSecretValueCommand({ SecretId: name, ...version }));
        const create = () => secretsManager().send(new CreateSecretCommand({ Name: name, ...version }));
        const restore = () => secretsManager().send(new RestoreSecretCommand({ SecretId: name }));
        await put()
          .catch(onError(ResourceNotFoundException, create))
          .catch(onError(ResourceExistsException, put))
          .catch(onError(InvalidRequestException, restores ? () => restore().then(put) : refuseDeleted))
          .catch(onError(LimitExceededException, refuseMore));
        return valueId;
      },

      ...createRevoker(kind)({ table: { tenant } }),
    };
  };

/** For the secrets that flows reference. */
export const secretVault = /* @__PURE__ */ using(['secrets:write'], /* @__PURE__ */ createVault('secrets'));

export const providerKeyVault = /* @__PURE__ */ using(
  ['own-keys:write'],
  /* @__PURE__ */ createVault('provider-keys'),
);

export const agentCredentialVault = /* @__PURE__ */ using(
  ['agent-credentials:write'],
  /* @__PURE__ */ createVault('agents'),
);

export const surfaceSecretVault = /* @__PURE__ */ using(['surface-secrets:write'], (tenant: Tenant) => {
  const { store } = createVault('surfaces')(tenant);
  return { store };
});

/** For the clean-up after surfaces, which stores nothing. */
export const surfaceSecretRevoker = /* @__PURE__ */ using(
  ['surface-secrets:delete'],
  /* @__PURE__ */ createRevoker('surfaces'),
);

const createReader =
  (kind: SecretKind) =>
  ({ table: { tenant } }: Tenant) => ({
    /** @returns undefined if the secret is being deleted. */
    async read(secretId: string, valueId: string): Promise<string | undefined> {
      const SecretId = createNamer(tenant, kind)(secretId);
      const command = new GetSecretValueCommand({ SecretId, VersionId: valueId });
      const version = await secretsManager().send(command).catch(onError(InvalidRequestException));
      if (version?.SecretString) rememberSecretValue(version.SecretString);
      return version?.SecretString;
    },
  });

/** Reads the values, for running flows. Separate, since writers need no read permission. */
export const secretReader = /* @__PURE__ */ using(['secrets:read'], /* @__PURE__ */ createReader('secrets'));

export const providerKeyReader = /* @__PURE__ */ using(
  ['own-keys:read'],
  /* @__PURE__ */ createReader('provider-keys'),
);

export const agentCredentialReader = /* @__PURE__ */ using(
  ['agent-credentials:read'],
  /* @__PURE__ */ createReader('agents'),
);

export const surfaceSecretReader = /* @__PURE__ */ using(
  ['surface-secrets:read'],
  /* @__PURE__ */ createReader('surfaces'),
);

const createNamer = (tenant: string, kind: SecretKind) => (secretId: string) =>
  composeSecretName(tenant, kind, secretId);

type ErrorKind = abstract new (...args: never[]) => Error;

/** Handles one kind of error, by default by ignoring it, and rethrows all others. */
function onError(kind: ErrorKind): (error: unknown) => undefined;
function onError<T>(kind: ErrorKind, handle: () => Promise<T>): (error: unknown) => Promise<T>;
function onError(kind: ErrorKind, handle: () => Promise<unknown> | undefined = () => undefined) {
  return (error: unknown) => {
    if (error instanceof kind) return handle();
    throw error;
  };
}

const refuseDeleted = () =>
  Promise.reject(conflict('This secret is being deleted; send the deletion again to complete it'));
const refuseMore = () =>
  Promise.reject(conflict('This secret had too many new values today; try again tomorrow'));
