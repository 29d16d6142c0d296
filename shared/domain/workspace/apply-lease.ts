/**
 * Lets one apply of a tenant run at a time: a lease in one item, renewed while the work runs, and removed at its end.
 *
 * Another apply gets a 409 with the time to wait. If renewing fails because somebody else has the lease, the work's signal is
 * aborted. After a crash the lease ends after seconds, or at once where this process knows that it is alone.
 */

import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import { startRenewal } from '../../core/concurrency/renewal.ts';
import { ServiceError } from '../../core/errors/errors.ts';
import { log } from '../../core/log.ts';
import { unixSeconds } from '../../core/time.ts';
import { using } from '../../platform/aws/uses.ts';
import { ConditionFailed } from '../../platform/data/condition-failed.ts';
import { defineEntity } from '../../platform/data/entity.ts';
import { tenantPartition } from '../../platform/data/keys.ts';
import { leaseOn } from '../../platform/data/lease.ts';
import { isConditionFailed } from '../../platform/data/retry-on-conflict.ts';
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

const lease = /* @__PURE__ */ leaseOn(workspaceLeaseEntity, {
  holder: 'holder',
  until: 'until',
  since: 'takenAt',
  format: 'ms',
  leaseMs,
});

/** Does work while no other apply of the tenant plans or writes. @throws 409 while one does */
export const soleApply = /* @__PURE__ */ using(['table:write', 'table:delete'], ({ table, now }: Scope) => {
  const { writes } = table;

  return async <T>(work: (lost: AbortSignal) => Promise<T>): Promise<T> => {
    const holder = randomUUID();
    const { set, condition: isFree } = lease.acquire(now(), holder);
    const item = { ...set, ttl: unixSeconds(now()) + keptSeconds };
    await table.commit([writes.put(workspaceLeaseEntity, item, isFree)]).catch((error) => {
      throw error instanceof ConditionFailed ? createApplyingError() : error;
    });

    const renew = () => {
      const { condition, ...changes } = lease.extend(now(), holder);
      return table.commit([writes.update(workspaceLeaseEntity, {}, changes, condition)]);
    };
    const failure = 'The lease of an apply could not be kept';
    const { lost, stop } = startRenewal(renew, {
      everyMs: leaseMs / 4,
      failure,
      isLoss: isConditionFailed,
    });
    try {
      return await work(lost);
    } finally {
      stop();
      await table
        .commit([writes.remove(workspaceLeaseEntity, {}, lease.isHolder(holder))])
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
