import { conflict } from '../../core/errors/errors.ts';
import { retryOnConflict } from '../../platform/data/retry-on-conflict.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { absent, type Write, type WriteCondition } from '../../platform/data/writes.ts';
import { type AuditEvent, audit } from '../../platform/identity/audit.ts';
import type { Principal } from '../../platform/identity/principal.ts';
import {
  type ModelAccount,
  type ModelDefaults,
  modelDefaultsEntity,
  readModelAccount,
} from './model-account.ts';

export interface AccountChange<T> {
  /** The writes of the change, apart from the defaults. */
  writes: readonly Write[];
  /** The defaults afterwards. */
  defaults: Pick<ModelDefaults, 'modelConfigId' | 'providerKeyIds'>;
  event: AuditEvent;
  result: T;
}

/** Decides again if the account changed before the commit. @param decide Returns undefined if nothing is to change. */
export const accountWriter =
  (scope: Scope) =>
  (principal: Principal) =>
  <T>(decide: (account: ModelAccount) => AccountChange<T> | { result: T }): Promise<T> =>
    retryOnConflict(
      async () => {
        const { table } = scope;
        const account = await readModelAccount(table);
        const change = decide(account);
        if (!('writes' in change)) return change.result;
        const { write, log } = audit(scope, principal, change.event);
        await table.commit([
          ...change.writes,
          createDefaultsWrite(scope, account.defaults, change.defaults),
          write,
        ]);
        log();
        return change.result;
      },
      { conflictError: createConflict },
    );

function createDefaultsWrite(
  { table }: Scope,
  { revision }: ModelDefaults,
  defaults: AccountChange<unknown>['defaults'],
) {
  const unchanged: WriteCondition = { expression: '#revision = :asRead', values: { asRead: revision } };
  return table.writes.put(
    modelDefaultsEntity,
    { ...defaults, revision: revision + 1 },
    revision === 0 ? absent : unchanged,
  );
}

const createConflict = () =>
  conflict({
    code: 'CONFLICT',
    message:
      'Other requests changed the model configs, provider keys or budgets at the same time; send the request again',
  });
