import { forEachConcurrently } from '../../core/concurrency/for-each-concurrently.ts';
import { conflict } from '../../core/errors/errors.ts';
import { log } from '../../core/log.ts';
import { ConditionFailed } from '../../platform/data/condition-failed.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { Write, Writes } from '../../platform/data/writes.ts';
import { type AuditEvent, audit } from '../../platform/identity/audit.ts';
import type { Principal } from '../../platform/identity/principal.ts';
import { type Secret, secretEntity, secretIdEntity } from './secret.ts';
import type { SecretChange } from './secret-changes.ts';
import type { SecretVault } from './secret-vault.ts';

const valuesAtOnce = 10;

/** All or none: stores values beside the current ones, then references them in one transaction if nothing changed. */
export const secretWriter = (scope: Scope, vault: SecretVault) => {
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
    await table.commit([...changes.map((change) => writeOf(table.writes, change)), ...others]);
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
    const { write, log: logAudit } = audit(scope, principal, auditEventOf(named));
    try {
      await commit(named, [write, ...alsoWrite]);
    } catch (error) {
      // After any other error the transaction may have succeeded.
      if (!(error instanceof ConditionFailed)) throw error;
      await discardValues(changes, kept);
      throw error.failed.some((index) => index < changes.length) ? changedMeanwhile() : error;
    }
    logAudit();
    return named.map(({ after }) => after);
  };
};

function writeOf(writes: Writes, { before, after }: SecretChange): Write {
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

function auditEventOf(changes: readonly SecretChange[]): AuditEvent {
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

const changedMeanwhile = () =>
  conflict({
    code: 'CONFLICT',
    message: 'The secret was changed by another request at the same time; read it again and retry',
  });
