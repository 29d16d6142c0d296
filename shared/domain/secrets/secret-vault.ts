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
import { conflict } from '../../core/errors.ts';
import { rememberSecretValue } from '../../core/redaction/known-values.ts';
import { secretName, secretsManager } from '../../platform/aws/secrets-manager.ts';
import { using } from '../../platform/aws/uses.ts';
import type { TenantTable } from '../../platform/data/table.ts';

export type SecretVault = ReturnType<typeof secretVault>;
export type SecretReader = ReturnType<typeof secretReader>;

const recoveryDays = 7;

/**
 * The values of a tenant's secrets. Each has a version of its own in Secrets Manager, which keeps those that nothing
 * there points at for a day at least: until the table names another one, who follows the table finds its value.
 */
export const secretVault = /* @__PURE__ */ using(
  ['secrets:write'],
  ({ table: { tenant } }: { table: Pick<TenantTable, 'tenant'> }) => {
    const nameOf = nameIn(tenant);

    return {
      /**
       * Keeps one more value. @returns what the reader finds it by.
       * @param restores Whether a secret that is being deleted comes back for it, in place of a 409.
       */
      async keep(secretId: string, value: string, { restores = true } = {}): Promise<string> {
        rememberSecretValue(value);
        const name = nameOf(secretId);
        const valueId = randomUUID();
        const version = { SecretString: value, ClientRequestToken: valueId };
        const put = () => secretsManager().send(new PutSecretValueCommand({ SecretId: name, ...version }));
        const create = () => secretsManager().send(new CreateSecretCommand({ Name: name, ...version }));
        const restore = () => secretsManager().send(new RestoreSecretCommand({ SecretId: name }));
        await put()
          .catch(on(ResourceNotFoundException, create))
          .catch(on(ResourceExistsException, put))
          .catch(on(InvalidRequestException, restores ? () => restore().then(put) : refuseDeleted))
          .catch(on(LimitExceededException, refuseMore));
        return valueId;
      },

      /** No value can be read any more; a week later all are gone for good. Doing it twice does no harm. */
      async revoke(secretId: string): Promise<void> {
        const command = new DeleteSecretCommand({
          SecretId: nameOf(secretId),
          RecoveryWindowInDays: recoveryDays,
        });
        await secretsManager()
          .send(command)
          .catch(on(ResourceNotFoundException))
          .catch(on(InvalidRequestException));
      },
    };
  },
);

/** Reads the values, for what runs flows: who takes values need not read them. */
export const secretReader = /* @__PURE__ */ using(
  ['secrets:read'],
  ({ table: { tenant } }: { table: Pick<TenantTable, 'tenant'> }) => ({
    /** @returns nothing when the secret is being deleted. */
    async read(secretId: string, valueId: string): Promise<string | undefined> {
      const command = new GetSecretValueCommand({ SecretId: nameIn(tenant)(secretId), VersionId: valueId });
      const version = await secretsManager().send(command).catch(on(InvalidRequestException));
      if (version?.SecretString) rememberSecretValue(version.SecretString);
      return version?.SecretString;
    },
  }),
);

const nameIn = (tenant: string) => (secretId: string) => secretName(tenant, 'secrets', secretId);

type ErrorKind = abstract new (...args: never[]) => Error;

/** Takes one kind of error, by default as no error at all, and throws all others on. */
function on(kind: ErrorKind): (error: unknown) => undefined;
function on<T>(kind: ErrorKind, handle: () => Promise<T>): (error: unknown) => Promise<T>;
function on(kind: ErrorKind, handle: () => Promise<unknown> | undefined = () => undefined) {
  return (error: unknown) => {
    if (error instanceof kind) return handle();
    throw error;
  };
}

const refuseDeleted = () =>
  Promise.reject(conflict('A deletion of this secret is under way; delete it again to finish that'));
const refuseMore = () =>
  Promise.reject(conflict('This secret has had too many values for one day; try again tomorrow'));
