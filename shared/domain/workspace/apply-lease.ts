/**
 * Lets one apply of a tenant run at a time: a lease in one item, renewed while the work runs, and removed at its end.
 *
 * Another apply gets a 409 with the time to wait. If renewing fails because somebody else has the lease, the work's signal is
 * aborted. After a crash the lease ends after seconds, or at once where this process knows that it is alone.
 */

import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import { LeaseLost, startRenewal } from '../../core/concurrency/renewal.ts';
import { getAloneSince } from '../../core/earlier-process.ts';
import { ServiceError } from '../../core/errors/errors.ts';
import { log } from '../../core/log.ts';
import { unixSeconds } from '../../core/time.ts';
import { using } from '../../platform/aws/uses.ts';
import { ConditionFailed, onConditionFailed } from '../../platform/data/condition-failed.ts';
import { defineEntity } from '../../platform/data/entity.ts';
import { tenantPartition } from '../../platform/data/keys.ts';
import type { Scope } from '../../platform/data/scope.ts';

/** How long the workspace of an apply that crashed is taken. */
const leaseMs = 10_000;
const keptSeconds = 86_400;

/** The apply that may change the workspace of a tenant. */
const workspaceLeaseEntity = defineEntity({
  type: 'workspaceLease',
  schema: z.object({
    holder: z.string(),
    /** Unix ms, like `until`. */
    takenAt: z.int(),
    until: z.int(),
    ttl: z.int(),
  }),
  key: (_source: object) => ({ PK: tenantPartition('WORKSPACE'), SK: 'APPLY' }),
});

/** Does work while no other apply of the tenant plans or writes. @throws 409 while one does */
export const soleApply = /* @__PURE__ */ using(['table:write', 'table:delete'], ({ table, now }: Scope) => {
  const { writes } = table;

  return async <T>(work: (lost: AbortSignal) => Promise<T>): Promise<T> => {
    const holder = randomUUID();
    const at = now().getTime();
    const lease = { holder, takenAt: at, until: at + leaseMs, ttl: unixSeconds(now()) + keptSeconds };
    const isFree = {
      // A request that is repeated finds what the first one wrote.
      expression: 'attribute_not_exists(#until) OR #until <= :at OR #takenAt < :alone OR #holder = :own',
      values: { at, alone: getAloneSince(), own: holder },
    };
    await table.commit([writes.put(workspaceLeaseEntity, lease, isFree)]).catch((error) => {
      throw error instanceof ConditionFailed ? createApplyingError() : error;
    });

    const isHolder = { expression: '#holder = :own', values: { own: holder } };
    const renew = async () => {
      const changes = { set: { until: now().getTime() + leaseMs } };
      const isKept = await table
        .commit([writes.update(workspaceLeaseEntity, {}, changes, isHolder)])
        .then(() => true, onConditionFailed(false));
      if (!isKept) throw new LeaseLost();
    };
    const failure = 'The lease of an apply could not be kept';
    const { lost, stop } = startRenewal(renew, { everyMs: leaseMs / 4, failure });
    try {
      return await work(lost);
    } finally {
      stop();
      await table
        .commit([writes.remove(workspaceLeaseEntity, {}, isHolder)])
        .catch((error) => log.warn(failure, { error }));
    }
  };
});

function createApplyingError(): ServiceError {
  const message =
    'Another document is being applied to this workspace, and nothing of this one was. Send it again when that has ended, with a new plan. After a crash the workspace is free within 10 seconds';
  return new ServiceError('CONFLICT', message, {
    details: [{ code: 'CONFLICT', message }],
    retryAfterSeconds: leaseMs / 1_000,
  });
}
