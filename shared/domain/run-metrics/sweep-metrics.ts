import { mapConcurrently } from '../../core/concurrency/map-concurrently.ts';
import { log } from '../../core/log.ts';
import { combineRequirements } from '../../platform/aws/uses.ts';
import { dueForSweep } from '../../platform/cleanup/sweeps.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { Runtime } from '../../platform/runtime.ts';
import { markSweep } from '../runs/hour-marks.ts';
import { isDay } from '../runs/hours.ts';
import { folder } from './fold.ts';

export const metricsSweepRequirements = combineRequirements(folder);

const atOnce = 4;
/** Reserved for what began. */
const reserveMs = 60_000;

/**
 * Folds the hours and days that are due, of all tenants: hours first, since days are made of them.
 * @param beforeHour Called before an hour is folded.
 */
export async function sweepRunMetrics(
  { scopeOf }: Runtime,
  due: Date,
  timeLeftMs: () => number,
  beforeHour: (scope: Scope, hour: string) => Promise<void>,
): Promise<void> {
  for await (const page of dueForSweep(scopeOf('').table, markSweep, due)) {
    const [days, hours] = [page.filter(({ SK }) => isDay(SK)), page.filter(({ SK }) => !isDay(SK))];
    for (const marks of [hours, days]) {
      const work = async ({ tenant, SK: period }: (typeof page)[number]) => {
        if (timeLeftMs() < reserveMs) return;
        const scope = scopeOf(tenant);
        try {
          if (!isDay(period)) await beforeHour(scope, period);
          await folder(scope)(period);
        } catch (error) {
          log.error('The numbers of runs could not be folded', { error, tenant, period });
        }
      };
      for await (const _done of mapConcurrently(marks, atOnce, work));
    }
  }
}
