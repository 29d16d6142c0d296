import { conflict, hasCode, notFound } from '../../core/errors.ts';
import { using } from '../../platform/aws/uses.ts';
import { decode } from '../../platform/data/entity.ts';
import { retryOnConflict } from '../../platform/data/retry-on-conflict.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { Write } from '../../platform/data/writes.ts';
import type { Principal } from '../../platform/identity/principal.ts';
import { findSecrets } from './find-secrets.ts';
import {
  type Secret,
  secretEntity,
  secretIdEntity,
  secretsPartition,
  secretUsesPartition,
} from './secret.ts';
import { changeOf, type GivenSecret, refuseOtherVersion, revocationOf } from './secret-changes.ts';
import { secretVault } from './secret-vault.ts';
import { secretWriter } from './secret-writer.ts';

export type SecretStore = ReturnType<typeof secretStore>;

interface Expected {
  /** 409 where it has had another number of values. */
  expectedVersion?: number | undefined;
}

const isConflict = (error: unknown) => hasCode(error, 'CONFLICT');

const parts = ['table:write', secretVault] as const;

export const secretStore = /* @__PURE__ */ using(parts, (scope: Scope, vault = secretVault(scope)) => {
  const { table } = scope;
  const write = secretWriter(scope, vault);

  /** @throws 404 also for one that was revoked. */
  async function get(id: string): Promise<Secret> {
    const named = await table.get(secretIdEntity, { id }, { consistent: true });
    const secret = named && (await table.get(secretEntity, named, { consistent: true }));
    if (secret?.id !== id || secret.status === 'revoked') throw notFound('Secret');
    return secret;
  }

  async function writeOne(principal: Principal, before: Secret | undefined, given: GivenSecret) {
    const change = changeOf(scope, principal, before, given);
    const [secret = change.after] = await write(principal, [change]);
    return secret;
  }

  return {
    get,

    /** Of any status, by their keys. */
    byKeys: (keys: readonly string[]): Promise<Map<string, Secret>> => findSecrets(table, keys),

    /** All that were not revoked, by the order of their keys. */
    async list(): Promise<Secret[]> {
      const items = await table.queryAll({ partition: secretsPartition, consistent: true });
      return items.map((item) => decode(secretEntity, item)).filter(({ status }) => status !== 'revoked');
    },

    /** Also brings back one that was revoked, with its id and its count of values. @throws 409 when it is there. */
    async create(principal: Principal, given: GivenSecret): Promise<Secret> {
      const before = (await findSecrets(table, [given.key])).get(given.key);
      if (!before || before.status === 'revoked') return writeOne(principal, before, given);
      const message = `There is a secret ${given.key} already`;
      throw conflict({ path: 'key', code: 'KEY_TAKEN', message });
    },

    async update(
      principal: Principal,
      id: string,
      { expectedVersion, ...given }: Omit<GivenSecret, 'key'> & Expected,
    ): Promise<Secret> {
      const before = await get(id);
      refuseOtherVersion(before, expectedVersion);
      return writeOne(principal, before, { ...given, key: before.key });
    },

    /**
     * Creates, brings back or rotates all of them, or none. Each key stands once.
     * @param beside Further writes of the transaction. @throws ConditionFailed where one of those is refused.
     */
    async setAll(
      principal: Principal,
      items: readonly (GivenSecret & { value: string } & Expected)[],
      alsoWrite: readonly Write[] = [],
    ): Promise<Secret[]> {
      const known = await findSecrets(
        table,
        items.map(({ key }) => key),
      );
      const changes = items.map(({ expectedVersion, ...given }) => {
        const before = known.get(given.key);
        refuseOtherVersion(before, expectedVersion);
        return changeOf(scope, principal, before, given);
      });
      return write(principal, changes, alsoWrite);
    },

    /** Revokes it, whatever others make of it meanwhile. @returns by how many it is still named. */
    async remove(principal: Principal, id: string): Promise<{ referenceCount: number }> {
      const attempt = async () => {
        const before = await get(id);
        // First, so that who tries again after a fault finds the secret still there, if without a value.
        await vault.revoke(id);
        await write(principal, [revocationOf(scope, before)]);
        return before;
      };
      const { key } = await retryOnConflict(attempt, { isConflict });
      return { referenceCount: await table.count({ partition: secretUsesPartition(key) }) };
    },
  };
});
