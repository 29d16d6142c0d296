/**
 * Creates, changes, lists and removes budgets, with an audit entry in the same transaction.
 *
 * Creating goes through the tenant's model account (`model-configs/account-writer.ts`), under whose revision the budgets are
 * counted. A change applies to the period that runs: a new limit moves `left` by the difference, on the condition that nothing
 * was changed meanwhile. What is spent and reserved is written by `spending.ts` alone, during calls of models
 * (`shared/execution/model-calls`).
 */

import Big from 'big.js';
import { omitUndefined } from '../../core/defined.ts';
import { conflict } from '../../core/errors/errors.ts';
import { getIdCreatedAt } from '../../core/ids.ts';
import { using } from '../../platform/aws/uses.ts';
import { retryOnConflict } from '../../platform/data/retry-on-conflict.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { Write } from '../../platform/data/writes.ts';
import { type AuditEvent, audit } from '../../platform/identity/audit.ts';
import type { Principal } from '../../platform/identity/principal.ts';
import { accountWriter } from '../model-configs/account-writer.ts';
import { readModelAccount } from '../model-configs/model-account.ts';
import { toCostUnits } from '../model-usage/cost-units.ts';
import { assertWithinLimit } from '../tenant-limits.ts';
import { type Budget, type BudgetScope, budgetEntity } from './budget/budget.ts';
import type { BudgetChange, NewBudget } from './budget-body.ts';
import { findPeriod } from './budget-view.ts';
import { assertTargetExists } from './named-targets.ts';
import { notifySecretMaker, notifyThresholds } from './thresholds.ts';

/** A budget, with the key that signs what its webhook gets if it was just made. */
export interface WrittenBudget {
  budget: Budget;
  secret?: string | undefined;
}

export const budgetReader = /* @__PURE__ */ using(['table:read'], ({ table }: Scope) => ({
  /** Oldest first. */
  list: async (): Promise<readonly Budget[]> => (await readModelAccount(table)).budgets,

  /** @throws 404 */
  find: (id: string): Promise<Budget> => table.find(budgetEntity, { id }, { consistent: true }),
}));

export const budgetWriter = /* @__PURE__ */ using(
  ['table:write', 'table:delete', 'queue:deliveries', budgetReader, notifySecretMaker],
  (scope: Scope) => {
    const { table, now } = scope;
    const { find } = budgetReader(scope);

    async function commit(principal: Principal, event: AuditEvent, write: Write): Promise<void> {
      const log = audit(scope, principal, event);
      await table.commit([write, log.write]);
      log.log();
    }

    const createSecret = async (webhookUrl: string | undefined, sealedSecret?: string) =>
      webhookUrl !== undefined && sealedSecret === undefined ? notifySecretMaker(scope)() : undefined;

    return {
      /** @throws 400 if what it is for does not exist; 409 if the tenant can have no more */
      async create(principal: Principal, { notify, ...fields }: NewBudget): Promise<WrittenBudget> {
        await assertPayerExists(scope, fields.scope);
        const { webhookUrl, emails = [] } = notify;
        const secret = await createSecret(webhookUrl);
        const id = scope.newId('budget');
        const createdAt = getIdCreatedAt(id);
        const { userId, organizationId } = principal;
        const stored = {
          id,
          ...fields,
          alertAt: sortAscending(fields.alertAt),
          ...(webhookUrl !== undefined && { webhookUrl }),
          ...(secret && { sealedSecret: secret.sealed }),
          emails,
          periodStart: findPeriod({ ...fields, createdAt }, now()).start,
          left: BigInt(toCostUnits(new Big(fields.limit))),
          spent: 0,
          holds: {},
          alerted: [],
          refused: false,
          uncounted: false,
          revision: 1,
          userId,
          organizationId,
          createdAt,
          updatedAt: createdAt,
        };
        await accountWriter(scope)(principal)(({ budgets, defaults }) => {
          assertWithinLimit('budgets', budgets.length + 1);
          const writes = [table.writes.insert(budgetEntity, stored)];
          return { writes, defaults, event: createEvent('created', stored), result: undefined };
        });
        return { budget: await find(id), secret: secret?.value };
      },

      /** Missing members stay unchanged. A new limit holds at once. @throws 400, 404 */
      update(principal: Principal, id: string, { notify, ...sent }: BudgetChange): Promise<WrittenBudget> {
        const changes = omitUndefined(sent);
        return retryOnConflict(
          async () => {
            const before = await find(id);
            if (changes.scope) await assertPayerExists(scope, changes.scope);
            const after = { ...before, ...changes };
            const { webhookUrl } = notify ?? before;
            const secret = await createSecret(webhookUrl, before.sealedSecret);
            const change = toCostUnits(new Big(after.limit).minus(before.limit));
            const timing = changes.period !== undefined || changes.timezone !== undefined;
            const write = table.writes.update(
              budgetEntity,
              before,
              {
                set: {
                  ...changes,
                  ...(changes.alertAt && { alertAt: sortAscending(changes.alertAt) }),
                  ...(notify && { webhookUrl, emails: notify.emails ?? [] }),
                  ...(secret && { sealedSecret: secret.sealed }),
                  ...(timing && { periodStart: findPeriod(after, now()).start }),
                  ...(changes.limit !== undefined && { refused: false }),
                  updatedAt: now().toISOString(),
                },
                add: { left: change, revision: 1 },
                ...(notify && webhookUrl === undefined && { remove: ['webhookUrl'] }),
              },
              {
                expression: '#revision = :seen AND #periodStart = :begun',
                values: { seen: before.revision, begun: before.periodStart },
              },
            );
            await commit(principal, createEvent('updated', after), write);
            const budget = await find(id);
            await notifyThresholds(scope, budget);
            return { budget, secret: secret?.value };
          },
          { conflictError: createConflict },
        );
      },

      /** @throws 404 */
      async remove(principal: Principal, id: string): Promise<void> {
        const budget = await find(id);
        await commit(principal, createEvent('deleted', budget), table.writes.remove(budgetEntity, { id }));
      },
    };
  },
);

const sortAscending = (percentages: readonly number[]) => percentages.toSorted((one, other) => one - other);

const createEvent = (
  verb: 'created' | 'updated' | 'deleted',
  {
    id,
    name,
    scope,
    period,
    limit,
    timezone,
    action,
  }: Pick<Budget, 'id' | 'name' | 'scope' | 'period' | 'limit' | 'timezone' | 'action'>,
): AuditEvent => ({
  action: `budget.${verb}`,
  targetId: id,
  details: verb === 'deleted' ? { name } : { name, scope, period, limit, timezone, action },
});

const createConflict = () =>
  conflict({
    code: 'CONFLICT',
    message: 'Other requests changed the budget at the same time; send the request again',
  });

/** @throws 400 unless what a budget is for exists */
async function assertPayerExists({ table }: Scope, { type, id = '' }: BudgetScope): Promise<void> {
  if (type !== 'tenant') await assertTargetExists(table, 'scope.id', type, id);
}
