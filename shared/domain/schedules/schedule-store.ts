/**
 * The schedules of a surface, and their counterparts in EventBridge Scheduler.
 * The table is authoritative: a change is stored first, with the time of the next run, and then copied to EventBridge
 * Scheduler (`wake-ups.ts`). If that fails, or the process crashes, the sweep repeats it a minute later.
 * The schedules of a surface are counted in an item of their own, in the transaction that creates or removes one; at
 * most `schedulesMax` exist. The flow and the records that a schedule names must exist when it is stored.
 * Removal leaves a tombstone and enqueues a cleanup (`scheduleCleaner`), which also removes the history;
 * `scheduleRemover` does this for all schedules of a surface. What a wake-up starts is in `shared/execution/schedules`.
 */
import { omitUndefined } from '../../core/defined.ts';
import { conflict, type ErrorDetail, invalidAt, notFound } from '../../core/errors/errors.ts';
import { getIdCreatedAt } from '../../core/ids.ts';
import { using } from '../../platform/aws/uses.ts';
import { cleanupQueue } from '../../platform/cleanup/cleanup.ts';
import { tombstoneWrite } from '../../platform/cleanup/tombstone.ts';
import { ConditionFailed } from '../../platform/data/condition-failed.ts';
import { decode, decodeReadable } from '../../platform/data/entity.ts';
import type { Modification } from '../../platform/data/modify.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { exists } from '../../platform/data/writes.ts';
import type { Principal } from '../../platform/identity/principal.ts';
import { assertFits } from '../content-size.ts';
import { flowEntity } from '../flows/flow.ts';
import { recordStore } from '../records/record-store.ts';
import { surfaceEntity } from '../surfaces/surface/surface.ts';
import { findNextRun } from './next-time.ts';
import {
  type Schedule,
  scheduleCountEntity,
  scheduleEntity,
  schedulePartition,
  schedulesPartition,
  toStoredSchedule,
} from './schedule.ts';
import { type NewSchedule, type ScheduleChanges, scheduleDefaults } from './schedule-body.ts';
import { assertConsistent, computeRepairAt, isRetimed, mergeSchedule } from './trigger.ts';
import { wakeUps } from './wake-ups.ts';

export const schedulesMax = 100;
/** So that all schedules of a surface fit a response. */
const scheduleBytesMax = 50_000;
export const scheduleStore = /* @__PURE__ */ using(
  ['table:write', 'table:delete', wakeUps, recordStore, cleanupQueue],
  (scope: Scope) => {
    const { table, now, newId } = scope;
    const find = (place: SchedulePlace, id: string) => findSchedule(scope, place, id);

    /** Applies changes to the stored schedule, and tells EventBridge Scheduler. */
    async function change(place: SchedulePlace, id: string, changes: ScheduleChanges): Promise<Schedule> {
      const at = now();
      const current = await find(place, id);
      // One that is enabled must be able to run.
      await assertScheduleTargets(
        scope,
        changes.enabled ? { flowId: current.flowId, ...omitUndefined(changes) } : changes,
      );
      let retimed = false;
      const decide = (before: Schedule): Modification<typeof scheduleEntity> => {
        const edited = mergeSchedule(before, changes);
        retimed = isRetimed(before, edited);
        assertConsistent(edited, retimed && edited.enabled ? at : undefined);
        const nextRunAt = retimed ? findNextRun(edited, at) : before.nextRunAt;
        const after = { ...before, ...edited, nextRunAt, updatedAt: at.toISOString() };
        return { put: toItem(retimed ? { ...after, sweepAt: computeRepairAt(at) } : after) };
      };
      const schedule = await table.change(scheduleEntity, { id }, decide, { current, consistent: true });
      if (retimed) await wakeUps(scope).follow(id);
      return schedule;
    }

    return {
      find,
      change,
      /** Oldest first. @throws 404; 400 if the surface is of another type. */
      list: (place: SchedulePlace) => readSchedules(scope, place),
      async nameSchedule(schedule: Schedule): Promise<NamedSchedule> {
        const [named] = await nameSchedules(scope, [schedule]);
        return named ?? { ...schedule, flowName: null };
      },

      /** @throws 400, 404; 409 if the surface has as many schedules as it can have. */
      async create(place: SchedulePlace, principal: Principal, input: NewSchedule): Promise<Schedule> {
        const at = now();
        const { userId, organizationId, environment } = principal;
        const { flowId, triggerType } = input;
        const edited = mergeSchedule({ ...scheduleDefaults, flowId, triggerType }, input);
        assertConsistent(edited, at);
        await assertTakesSchedules(scope, place);
        await assertScheduleTargets(scope, edited);
        const id = newId('schedule');
        const createdAt = getIdCreatedAt(id);
        const schedule: Schedule = {
          id,
          ...place,
          revision: 1,
          userId,
          organizationId,
          environment,
          ...edited,
          nextRunAt: findNextRun(edited, at),
          lastRunAt: null,
          lastFiring: null,
          sweepAt: computeRepairAt(at),
          createdAt,
          updatedAt: createdAt,
        };
        await insert(schedule);
        await wakeUps(scope).follow(schedule.id);
        return schedule;
      },

      /** It fires no more; a clean-up of its id removes its history. @throws 404 */
      async remove(place: SchedulePlace, id: string): Promise<void> {
        await find(place, id);
        const decideRemoval = (): Modification<typeof scheduleEntity> => ({
          remove: true,
          alsoWrite: [
            table.writes.update(scheduleCountEntity, place, { add: { count: -1 } }),
            tombstoneWrite(scope, id),
          ],
        });
        await table.change(scheduleEntity, { id }, decideRemoval);
        await cleanupQueue(scope).enqueue([id]);
      },
    };

    async function insert(schedule: Schedule): Promise<void> {
      const { productId, surfaceId } = schedule;
      const hasRoom = {
        expression: 'attribute_not_exists(#count) OR #count < :most',
        values: { most: schedulesMax },
      };
      try {
        await table.commit([
          table.writes.insert(scheduleEntity, toItem(schedule)),
          table.writes.update(scheduleCountEntity, { surfaceId }, { add: { count: 1 } }, hasRoom),
          table.writes.check(surfaceEntity, { productId, id: surfaceId }, exists),
        ]);
      } catch (error) {
        if (!(error instanceof ConditionFailed)) throw error;
        throw error.failed.includes(2) ? notFound('Surface') : createTooManyError();
      }
    }
  },
);

/** @throws 400 if the schedule does not fit an item of the table. */
function toItem(schedule: Schedule) {
  const item = toStoredSchedule(schedule);
  const recordIds = JSON.stringify(schedule.recordIds);
  assertFits('a schedule', { recordIds, recordFilter: item.recordFilter }, scheduleBytesMax);
  return item;
}

const createTooManyError = () =>
  conflict({
    code: 'LIMIT_REACHED',
    message: `A surface has at most ${schedulesMax} schedules. Delete those that are no longer used`,
  });

/** Flows by their ids; undefined for one that does not exist. */
type FlowItems = ReadonlyMap<string, Record<string, unknown> | undefined>;

export type NamedSchedule = Schedule & { flowName: string | null };

/** @throws 404 */
async function findSchedule(
  { table }: Scope,
  { productId, surfaceId }: SchedulePlace,
  id: string,
): Promise<Schedule> {
  const keys = [surfaceEntity.key({ productId, id: surfaceId }), scheduleEntity.key({ id })];
  const [surface, item] = await table.getMany(keys, { consistent: true });
  if (!surface) throw notFound('Surface');
  const schedule = item && decode(scheduleEntity, item);
  if (schedule?.surfaceId !== surfaceId) throw notFound('Schedule');
  return schedule;
}

async function nameSchedules(
  { table }: Scope,
  schedules: readonly Schedule[],
  read: FlowItems = new Map(),
): Promise<NamedSchedule[]> {
  const missing = schedules.map(({ flowId }) => flowId).filter((id) => !read.has(id));
  const items = await table.getMany(missing.map((id) => flowEntity.key({ id })));
  const flows = new Map([...read, ...missing.map((id, at) => [id, items[at]] as const)]);
  return schedules.map((schedule) => {
    const { name = null } = (flows.get(schedule.flowId)?.summary ?? {}) as { name?: string };
    return { ...schedule, flowName: name };
  });
}

/** Oldest first. @throws 404; 400 if the surface is of another type. */
async function readSchedules(scope: Scope, place: SchedulePlace): Promise<NamedSchedule[]> {
  const [entries] = await Promise.all([
    scope.table.queryAll({ partition: schedulesPartition(place.surfaceId), index: 1 }),
    assertTakesSchedules(scope, place),
  ]);
  const keys = entries.map(({ SK1 }) => scheduleEntity.key({ id: String(SK1) }));
  // Entries of schedules that an earlier release wrote have no summary.
  const flowIds = entries.flatMap(
    ({ summary }) => (summary as { flowId?: string } | undefined)?.flowId ?? [],
  );
  const flowKeys = flowIds.map((id) => flowEntity.key({ id }));
  const items = await scope.table.getMany([...keys, ...flowKeys]);
  const flows = new Map(flowIds.map((id, at) => [id, items[keys.length + at]]));
  return nameSchedules(scope, decodeReadable(scheduleEntity, items.slice(0, keys.length)), flows);
}

/** Removes a schedule that was deleted: its entries in EventBridge Scheduler, its item and its history. */
export const scheduleCleaner = /* @__PURE__ */ using(
  ['table:write', 'table:delete', wakeUps],
  (scope: Scope) =>
    async (id: string): Promise<void> => {
      const { table } = scope;
      await wakeUps(scope).remove(id);
      await table.removeRange({ partition: schedulePartition(id) });
    },
);

export const scheduleRemover = /* @__PURE__ */ using(
  [scheduleCleaner],
  (scope: Scope) =>
    async (surfaceId: string): Promise<void> => {
      const { table } = scope;
      for await (const entries of table.pages({ partition: schedulesPartition(surfaceId), index: 1 })) {
        for (const { SK1 } of entries) await scheduleCleaner(scope)(String(SK1));
      }
      await table.removeAll([scheduleCountEntity.key({ surfaceId })]);
    },
);

const missingListedMax = 10;

export interface SchedulePlace {
  productId: string;
  surfaceId: string;
}

interface Targets {
  flowId?: string | undefined;
  recordIds?: readonly string[] | null | undefined;
}

/** @throws 404; 400 if the surface is of another type. */
async function assertTakesSchedules(
  { table }: Scope,
  { productId, surfaceId }: SchedulePlace,
): Promise<void> {
  const surface = await table.find(surfaceEntity, { productId, id: surfaceId });
  if (surface.type === 'schedule') return;
  const message = `The surface has the type ${surface.type}. Create schedules on a surface of the type schedule`;
  throw invalidAt('surfaceId', 'INVALID_VALUE', message);
}

/** @throws 404 if the flow or one of the records does not exist. */
async function assertScheduleTargets(scope: Scope, { flowId, recordIds }: Targets): Promise<void> {
  const [flow, missing] = await Promise.all([
    flowId ? scope.table.get(flowEntity, { id: flowId }) : true,
    recordIds ? recordStore(scope).findMissing(recordIds) : [],
  ]);
  if (!flow) throw notFound('Flow');
  if (missing.length === 0) return;
  const detail = (id: string): ErrorDetail => ({
    path: `recordIds.${recordIds?.indexOf(id)}`,
    code: 'NOT_FOUND',
    message: `Record ${id} does not exist`,
  });
  throw notFound('Record', missing.slice(0, missingListedMax).map(detail));
}
