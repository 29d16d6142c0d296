import { conflict, notFound } from '../../core/errors/errors.ts';
import {
  ApiKey,
  apiKeyEntity,
  credentialEntity,
  keysPartition,
  toCredential,
} from '../../platform/auth/api-key.ts';
import { using } from '../../platform/aws/uses.ts';
import { ConditionFailed } from '../../platform/data/condition-failed.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { type Changes, exists, type Write } from '../../platform/data/writes.ts';
import { type Actor, type AuditEvent, audit } from '../../platform/identity/audit.ts';
import { assertWithinLimit } from '../tenant-limits.ts';

const toHashCondition = ({ hash }: ApiKey) => ({ expression: '#hash = :old', values: { old: hash } });

type ApiKeyChanges = NonNullable<Changes<typeof apiKeyEntity>['set']>;

/** The fields of a key that change with its value. */
export type KeyValueMembers = Pick<ApiKey, 'hash' | 'keyPrefix' | 'searchHint'>;

export const apiKeyStore = /* @__PURE__ */ using(['table:write', 'table:delete'], (scope: Scope) => {
  const { table, now } = scope;

  const get = (id: string): Promise<ApiKey> => table.find(apiKeyEntity, { id }, { consistent: true });

  const count = (): Promise<number> => table.count({ partition: keysPartition });

  /** Changes a key and logs the audit event, in one transaction. */
  async function commit(by: Actor, auditEvent: AuditEvent, writes: readonly Write[]): Promise<void> {
    const { write, log: logAudit } = audit(scope, by, auditEvent);
    await table.commit([...writes, write]);
    logAudit();
  }

  /** @throws 409 if another request changed the key's value at the same time, 404 if one deleted the key. */
  async function commitUnchanged(by: Actor, auditEvent: AuditEvent, writes: readonly Write[]): Promise<void> {
    try {
      await commit(by, auditEvent, writes);
    } catch (error) {
      if (!(error instanceof ConditionFailed)) throw error;
      await get(auditEvent.targetId);
      throw conflict('Another request regenerated the key at the same time; read the key again and retry');
    }
  }

  return {
    get,

    /** @throws 409 if the tenant has as many keys as it can have. */
    async assertRoom(): Promise<void> {
      assertWithinLimit('API keys', 1 + (await count()));
    },

    count,

    /** Stores the key, and the credential that finds it by its hash. @param alsoWrite Further writes of the transaction. */
    create(by: Actor, key: ApiKey, alsoWrite: readonly Write[] = []): Promise<void> {
      const { id, name, environment, permissions, allowedIps, expiresAt } = key;
      const details = { name, environment, permissions, allowedIps, expiresAt };
      return commit(by, { action: 'api-key.created', targetId: id, details }, [
        table.writes.insert(apiKeyEntity, key),
        table.writes.insert(credentialEntity, toCredential(key)),
        ...alsoWrite,
      ]);
    },

    /** All keys of the tenant, newest first. */
    async list(): Promise<ApiKey[]> {
      const range = { partition: keysPartition, newestFirst: true, consistent: true };
      return (await table.queryAll(range)).map((item) => ApiKey.parse(item));
    },

    /** Changes the given fields. Keeps the usage counters. Takes effect with the next request. */
    async update(by: Actor, id: string, details: ApiKeyChanges): Promise<ApiKey> {
      const set = { ...details, updatedAt: now().toISOString() };
      try {
        await commit(by, { action: 'api-key.updated', targetId: id, details }, [
          table.writes.update(apiKeyEntity, { id }, { set }, exists),
        ]);
      } catch (error) {
        throw error instanceof ConditionFailed ? notFound('API key') : error;
      }
      return get(id);
    },

    /** Replaces the key's value. The old value stops working at once. */
    async renew(
      by: Actor,
      key: ApiKey,
      value: KeyValueMembers,
      alsoWrite: readonly Write[] = [],
    ): Promise<ApiKey> {
      const set = { ...value, updatedAt: now().toISOString() };
      await commitUnchanged(by, { action: 'api-key.regenerated', targetId: key.id }, [
        table.writes.update(apiKeyEntity, { id: key.id }, { set }, toHashCondition(key)),
        table.writes.remove(credentialEntity, { hash: key.hash }),
        table.writes.insert(credentialEntity, toCredential({ ...key, ...value })),
        ...alsoWrite,
      ]);
      return { ...key, ...set };
    },

    /** Deletes the key. It stops working at once. */
    remove: (by: Actor, key: ApiKey, alsoWrite: readonly Write[] = []): Promise<void> =>
      commitUnchanged(by, { action: 'api-key.deleted', targetId: key.id }, [
        table.writes.remove(apiKeyEntity, { id: key.id }, toHashCondition(key)),
        table.writes.remove(credentialEntity, { hash: key.hash }),
        ...alsoWrite,
      ]),

    noteRevealed: (by: Actor, { id }: ApiKey): Promise<void> =>
      commit(by, { action: 'api-key.revealed', targetId: id }, []),
  };
});
