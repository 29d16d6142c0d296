import { mapConcurrently } from '../../core/concurrency/map-concurrently.ts';
import { ifMissing, type ServiceError } from '../../core/errors/errors.ts';
import { log } from '../../core/log.ts';
import { type DueItem, findFirstDue } from '../../platform/cleanup/sweeps.ts';
import { ConditionFailed } from '../../platform/data/condition-failed.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { Runtime } from '../../platform/runtime.ts';
import { agentCards } from './agent-cards.ts';
import { agentStore } from './agent-store.ts';
import { cardScheduleEntity, cardSweep, refreshIntervalMinutes } from './card-schedule.ts';

/** Per sweep. The next one continues with those that are longest due. */
const refreshesMax = 100;
const atOnce = 10;

/** The longest pause after failures, unless the interval is longer. */
const pauseMinutesMax = 24 * 60;

/** Refreshes the cards of all tenants that are due, within limits. */
export async function refreshDueCards({ scopeOf }: Runtime, now: Date): Promise<void> {
  const due = await findFirstDue(scopeOf('').table, cardSweep, now, refreshesMax);
  const work = async ({ tenant, PK }: DueItem) => {
    const id = PK.split('#').at(-1) ?? '';
    await refreshDue(scopeOf(tenant), id, now).catch((error) => {
      // Another sweep has it.
      if (error instanceof ConditionFailed) return;
      log.error('The card of an agent could not be refreshed', { error, tenant, agentId: id });
    });
  };
  for await (const _done of mapConcurrently(due, atOnce, work));
}

/** @throws ConditionFailed if another sweep refreshes it too. */
async function refreshDue(scope: Scope, id: string, now: Date): Promise<void> {
  const claim = await acquireRefresh(scope, id, now);
  if (!claim) return;
  try {
    await agentCards(scope).refresh(id, AbortSignal.timeout(30_000));
    await claim.succeeded();
  } catch (error) {
    const { code } = error as ServiceError;
    if (code !== 'UPSTREAM_FAILED' && code !== 'VALIDATION') throw error;
  }
}

/** Plans as after a failure, in case this one ends the process. @returns undefined if not due. @throws ConditionFailed */
export async function acquireRefresh(
  scope: Scope,
  id: string,
  now: Date,
): Promise<{ succeeded: () => Promise<unknown> } | undefined> {
  const { table } = scope;
  const schedule = await table.get(cardScheduleEntity, { id }, { consistent: true });
  const agent = await agentStore(scope).find(id).catch(ifMissing(undefined));
  const interval = agent && refreshIntervalMinutes(agent);
  if (!interval) {
    await table.commit([table.writes.remove(cardScheduleEntity, { id })]);
    return;
  }
  if (!schedule || schedule.dueAt > now.toISOString()) return;
  const failures = schedule.failures + 1;
  const plan = (minutes: number, more: { failures: number }, earlierDueAt: string) => {
    const dueAt = new Date(now.getTime() + minutes * 60_000).toISOString();
    const condition = { expression: '#dueAt = :seen', values: { seen: earlierDueAt } };
    return table
      .commit([table.writes.put(cardScheduleEntity, { id, dueAt, ...more }, condition)])
      .then(() => dueAt);
  };
  const pause = Math.max(interval, Math.min(interval * 2 ** failures, pauseMinutesMax));
  const claimed = await plan(pause, { failures }, schedule.dueAt);
  return { succeeded: () => plan(interval, { failures: 0 }, claimed) };
}
