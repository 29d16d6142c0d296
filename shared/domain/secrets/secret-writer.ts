import { conflict } from '../../core/errors.ts';
import { forEachConcurrently } from '../../core/for-each-concurrently.ts';
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

/**
 * Puts changes into effect, all or none, in an order that leaves every secret whole wherever it breaks off: the values
 * are kept first, beside those that the table names. Then one transaction names them, if all is still as it was read.
 */
export const secretWriter = (scope: Scope, vault: SecretVault) => {
  const { table } = scope;

  /** What was kept for secrets that do not come to be. Left lying, it would be paid for. */
  const abandon = (changes: readonly SecretChange[], kept: ReadonlyMap<string, string>) =>
    Promise.all(
      changes
        .filter(({ before, after }) => !before && kept.has(after.id))
        .map(({ after: { id } }) =>
          vault.revoke(id).catch((error) => log.warn('A value that no secret has was left', { id, error })),
        ),
    );

  async function keepValues(changes: readonly SecretChange[]): Promise<Map<string, string>> {
    const kept = new Map<string, string>();
    try {
      await forEachConcurrently(changes, valuesAtOnce, async ({ before, after: { id }, value }) => {
        // Whoever deletes an active one at this moment shall not find it restored afterwards.
        const restores = before?.status !== 'active';
        if (value !== undefined) kept.set(id, await vault.keep(id, value, { restores }));
      });
      return kept;
    } catch (error) {
      await abandon(changes, kept);
      throw error;
    }
  }

  async function commit(changes: readonly SecretChange[], others: readonly Write[]): Promise<void> {
    const created = changes.flatMap(({ before, after }) =>
      before ? [] : [{ id: after.id, key: after.key }],
    );
    // These lead nowhere until their secrets are there, and would take half the room of the transaction.
    if (created.length > 0)
      await table.commit(created.map((named) => table.writes.put(secretIdEntity, named)));
    await table.commit([...changes.map((change) => writeOf(table.writes, change)), ...others]);
  }

  /** @param beside Further writes of the transaction. @throws ConditionFailed where one of those is refused. */
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
      // After any other failure the transaction may have taken place all the same.
      if (!(error instanceof ConditionFailed)) throw error;
      await abandon(changes, kept);
      throw error.failed.some((index) => index < changes.length) ? changedMeanwhile() : error;
    }
    logAudit();
    return named.map(({ after }) => after);
  };
};

/** Creates the secret, or changes what is different in it. */
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
  const told = changes.map(({ action, after: { id, key, version } }) => ({ id, key, version, action }));
  const [first] = told;
  if (first && told.length === 1) {
    const { action, id, ...details } = first;
    return { action, targetId: id, details };
  }
  return {
    action: 'secrets.changed',
    targetId: told.map(({ id }) => id).join(','),
    details: { secrets: told },
  };
}

const changedMeanwhile = () =>
  conflict({
    code: 'CONFLICT',
    message: 'The secret was changed by others at the same time; read it again and retry',
  });
