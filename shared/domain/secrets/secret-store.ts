/**
 * The secrets of a tenant: their items in the table, which name the current version of a value in Secrets Manager.
 *
 * A write stores values beside the current ones, and then points to them in one transaction, if nothing changed meanwhile,
 * with an audit entry. So readers find either all old values or all new ones; values of secrets that were not created are
 * deleted. Removing revokes the value first, then the item becomes `revoked`, which keeps its id and its versions for a
 * restoration. Values are read by `secret-values.ts`.
 */

import { forEachConcurrently } from '../../core/concurrency/map-concurrently.ts';
import { conflict, hasCode, notFound } from '../../core/errors/errors.ts';
import { log } from '../../core/log.ts';
import { using } from '../../platform/aws/uses.ts';
import { ConditionFailed } from '../../platform/data/condition-failed.ts';
import { decode } from '../../platform/data/entity.ts';
import { retryOnConflict } from '../../platform/data/retry-on-conflict.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { Write, Writes } from '../../platform/data/writes.ts';
import { type AuditEvent, audit } from '../../platform/identity/audit.ts';
import type { Principal } from '../../platform/identity/principal.ts';
import { assertWithinLimit } from '../tenant-limits.ts';
import { findSecrets } from './find-secrets.ts';
import {
  type Secret,
  secretEntity,
  secretIdEntity,
  secretsPartition,
  secretUsesPartition,
} from './secret.ts';
import {
  assertVersion,
  createRevocation,
  createSecretChange,
  type SecretChange,
  type SecretInput,
} from './secret-changes.ts';
import { type SecretVault, secretVault } from './secret-vault.ts';

export type SecretStore = ReturnType<typeof secretStore>;

interface Expected {
  /** Leads to a 409 if the secret has another version. */
  expectedVersion?: number | undefined;
}

const isConflict = (error: unknown) => hasCode(error, 'CONFLICT');

const parts = ['table:write', secretVault] as const;

export const secretStore = /* @__PURE__ */ using(parts, (scope: Scope, vault = secretVault(scope)) => {
  const { table } = scope;
  const write = createSecretWriter(scope, vault);

  /** @throws 404 also for revoked secrets. */
  async function get(id: string): Promise<Secret> {
    const named = await table.get(secretIdEntity, { id }, { consistent: true });
    const secret = named && (await table.get(secretEntity, named, { consistent: true }));
    if (secret?.id !== id || secret.status === 'revoked') throw notFound('Secret');
    return secret;
  }

  async function writeOne(principal: Principal, before: Secret | undefined, input: SecretInput) {
    const change = createSecretChange(scope, principal, before, input);
    const [secret = change.after] = await write(principal, [change]);
    return secret;
  }

  /** @throws 409 if the tenant would have more secrets than it can have. */
  async function assertRoomFor(added: number): Promise<void> {
    if (added === 0) return;
    const isLive = { expression: '#status <> :revoked', values: { revoked: 'revoked' } };
    const count = await table.count({ partition: secretsPartition, filter: isLive });
    assertWithinLimit('secrets', count + added);
  }

  return {
    get,

    /** With any status, by key. */
    byKeys: (keys: readonly string[]): Promise<Map<string, Secret>> => findSecrets(table, keys),

    /** All secrets that are not revoked, sorted by key. */
    async list(): Promise<Secret[]> {
      const items = await table.queryAll({ partition: secretsPartition, consistent: true });
      return items.map((item) => decode(secretEntity, item)).filter(({ status }) => status !== 'revoked');
    },

    /** Also restores a revoked secret, with its id and version count. @throws 409 if the secret exists, or the tenant can have no more. */
    async create(principal: Principal, input: SecretInput): Promise<Secret> {
      const before = (await findSecrets(table, [input.key])).get(input.key);
      if (!before || before.status === 'revoked') {
        await assertRoomFor(1);
        return writeOne(principal, before, input);
      }
      const message = `The secret ${input.key} already exists; update it instead`;
      throw conflict({ path: 'key', code: 'KEY_TAKEN', message });
    },

    async update(
      principal: Principal,
      id: string,
      { expectedVersion, ...fields }: Omit<SecretInput, 'key'> & Expected,
    ): Promise<Secret> {
      const before = await get(id);
      assertVersion(before, expectedVersion);
      return writeOne(principal, before, { ...fields, key: before.key });
    },

    /** All or none. Keys are unique. @param alsoWrite In the same transaction. @throws ConditionFailed if that is rejected. */
    async setAll(
      principal: Principal,
      items: readonly (SecretInput & { value: string } & Expected)[],
      alsoWrite: readonly Write[] = [],
    ): Promise<Secret[]> {
      const current = await findSecrets(
        table,
        items.map(({ key }) => key),
      );
      const isLive = ({ key }: SecretInput) => (current.get(key)?.status ?? 'revoked') !== 'revoked';
      await assertRoomFor(items.filter((item) => !isLive(item)).length);
      const changes = items.map(({ expectedVersion, ...fields }) => {
        const before = current.get(fields.key);
        assertVersion(before, expectedVersion);
        return createSecretChange(scope, principal, before, fields);
      });
      return write(principal, changes, alsoWrite);
    },

    /** Revokes the secret, also under concurrent changes. @returns how many references remain. */
    async remove(principal: Principal, id: string): Promise<{ referenceCount: number }> {
      const revokeOnce = async () => {
        const before = await get(id);
        // First, so that a retry after a failure finds the secret, though without a value.
        await vault.revoke(id);
        await write(principal, [createRevocation(scope, before)]);
        return before;
      };
      const { key } = await retryOnConflict(revokeOnce, { isConflict });
      return { referenceCount: await table.count({ partition: secretUsesPartition(key) }) };
    },
  };
});

const valuesAtOnce = 10;

/** All or none: stores values beside the current ones, then references them in one transaction if nothing changed. */
const createSecretWriter = (scope: Scope, vault: SecretVault) => {
  const { table } = scope;

  /** Deletes the values of secrets that were not created, which would otherwise cost money. */
  const discardValues = (changes: readonly SecretChange[], kept: ReadonlyMap<string, string>) =>
    Promise.all(
      changes
        .filter(({ before, after }) => !before && kept.has(after.id))
        .map(({ after: { id } }) =>
          vault
            .revoke(id)
            .catch((error) => log.warn('A value without a secret could not be deleted', { id, error })),
        ),
    );

  async function keepValues(changes: readonly SecretChange[]): Promise<Map<string, string>> {
    const kept = new Map<string, string>();
    try {
      await forEachConcurrently(changes, valuesAtOnce, async ({ before, after: { id }, value }) => {
        // A concurrent deletion of an active secret must not be undone.
        const restores = before?.status !== 'active';
        if (value !== undefined) kept.set(id, await vault.store(id, value, { restores }));
      });
      return kept;
    } catch (error) {
      await discardValues(changes, kept);
      throw error;
    }
  }

  async function commit(changes: readonly SecretChange[], others: readonly Write[]): Promise<void> {
    const created = changes.flatMap(({ before, after }) =>
      before ? [] : [{ id: after.id, key: after.key }],
    );
    // Written first: they have no effect without their secrets, and would take half of the transaction.
    if (created.length > 0)
      await table.commit(created.map((named) => table.writes.put(secretIdEntity, named)));
    await table.commit([...changes.map((change) => toWrite(table.writes, change)), ...others]);
  }

  /** @param alsoWrite Further writes of the transaction. @throws ConditionFailed if one of those is rejected. */
  return async (
    principal: Principal,
    changes: readonly SecretChange[],
    alsoWrite: readonly Write[] = [],
  ): Promise<Secret[]> => {
    const kept = await keepValues(changes);
    const named = changes.map((change) => {
      const valueId = kept.get(change.after.id) ?? change.after.valueId;
      return { ...change, after: { ...change.after, valueId } };
    });
    const { write, log: logAudit } = audit(scope, principal, createAuditEvent(named));
    try {
      await commit(named, [write, ...alsoWrite]);
    } catch (error) {
      // After any other error the transaction may have succeeded.
      if (!(error instanceof ConditionFailed)) throw error;
      await discardValues(changes, kept);
      throw error.failed.some((index) => index < changes.length) ? createConflict() : error;
    }
    logAudit();
    return named.map(({ after }) => after);
  };
};

function toWrite(writes: Writes, { before, after }: SecretChange): Write {
  if (!before) return writes.insert(secretEntity, after);
  const set = Object.fromEntries(
    Object.entries(after).filter(([field, value]) => value !== before[field as keyof Secret]),
  );
  const { version, status } = before;
  const asItWas = {
    expression: '#version = :asRead AND #status = :was',
    values: { asRead: version, was: status },
  };
  return writes.update(secretEntity, before, { set }, asItWas);
}

function createAuditEvent(changes: readonly SecretChange[]): AuditEvent {
  const changed = changes.map(({ action, after: { id, key, version } }) => ({ id, key, version, action }));
  const [first] = changed;
  if (first && changed.length === 1) {
    const { action, id, ...details } = first;
    return { action, targetId: id, details };
  }
  return {
    action: 'secrets.changed',
    targetId: changed.map(({ id }) => id).join(','),
    details: { secrets: changed },
  };
}

const createConflict = () =>
  conflict({
    code: 'CONFLICT',
    message: 'The secret was changed by another request at the same time; read it again and retry',
  });
