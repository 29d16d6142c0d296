import { mapConcurrently } from '../../core/concurrency/map-concurrently.ts';
import { log } from '../../core/log.ts';
import { firingEntity, firingSweep } from '../../domain/schedules/firing.ts';
import { scheduleEntity, scheduleSweep } from '../../domain/schedules/schedule.ts';
import { wakeUps } from '../../domain/schedules/wake-ups.ts';
import { combineRequirements } from '../../platform/aws/uses.ts';
import { type DueItem, findFirstDue } from '../../platform/cleanup/sweeps.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { Runtime } from '../../platform/runtime.ts';
import { scheduleFirer } from './fire-schedule.ts';
import { firingStarter } from './start-firing.ts';

export const scheduleSweepRequirements = combineRequirements(scheduleFirer, firingStarter, wakeUps);

/** Per sweep. The next one continues with those that are longest due. */
const itemsMax = 2_000;
const atOnce = 10;
/** Reserved for what began. */
const reserveMs = 15_000;

type TimeLeft = () => number;

/** Fires schedules that EventBridge Scheduler missed, repairs its entries, and continues interrupted firings. */
export async function sweepSchedules(runtime: Runtime, due: Date, timeLeftMs: TimeLeft): Promise<void> {
  await sweepEach(runtime, { kind: scheduleSweep, due, timeLeftMs }, async (scope, { PK }) => {
    const id = parseId(PK);
    await scheduleFirer(scope)(id, timeLeftMs);
    await wakeUps(scope).repair(id);
  });
  await sweepEach(runtime, { kind: firingSweep, due, timeLeftMs }, (scope, { PK, SK }) =>
    continueFiring(scope, { scheduleId: parseId(PK), id: parseId(SK) }, timeLeftMs),
  );
}

const parseId = (key: string) => key.split('#').at(-1) ?? '';

async function sweepEach(
  { scopeOf }: Runtime,
  { kind, due, timeLeftMs }: { kind: string; due: Date; timeLeftMs: TimeLeft },
  sweep: (scope: Scope, item: DueItem) => Promise<void>,
): Promise<void> {
  const items = await findFirstDue(scopeOf('').table, kind, due, itemsMax);
  const work = async (item: DueItem) => {
    if (timeLeftMs() < reserveMs) return;
    await sweep(scopeOf(item.tenant), item).catch((error) =>
      log.error('A schedule could not be swept', { error, tenant: item.tenant, key: item.PK }),
    );
  };
  for await (const _done of mapConcurrently(items, atOnce, work));
}

/** Starts the batch of a firing again, with the same id. */
async function continueFiring(
  scope: Scope,
  key: { scheduleId: string; id: string },
  timeLeftMs: TimeLeft,
): Promise<void> {
  const { table } = scope;
  const [firing, schedule] = await Promise.all([
    table.get(firingEntity, key, { consistent: true }),
    table.get(scheduleEntity, { id: key.scheduleId }, { consistent: true }),
  ]);
  if (firing?.state !== 'starting') return;
  if (!schedule) return table.removeAll([firingEntity.key(key)]);
  await firingStarter(scope).startOrPostpone(schedule, firing, timeLeftMs);
}
