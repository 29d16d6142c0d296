import { omitUndefined } from '../../core/defined.ts';
import { conflict, type ErrorDetail, invalidAt, notFound } from '../../core/errors/errors.ts';
import { createdAtFromId } from '../../core/ids.ts';
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
import { nextRunAfter } from './next-time.ts';
import {
  type Schedule,
  scheduleCountEntity,
  scheduleEntity,
  schedulesPartition,
  storedSchedule,
} from './schedule.ts';
import type { NewSchedule, ScheduleChanges } from './schedule-body.ts';
import { scheduleDefaults } from './schedule-defaults.ts';
import { assertConsistent, changedSchedule, isRetimed, repairAt } from './trigger.ts';
import { wakeUps } from './wake-ups.ts';

export const schedulesMax = 100;
/** So that all schedules of a surface fit a response. */
const scheduleBytesMax = 50_000;
const missingListedMax = 10;

export interface SchedulePlace {
  productId: string;
  surfaceId: string;
}

interface Targets {
  flowId?: string | undefined;
  recordIds?: readonly string[] | null | undefined;
}

/** Flows by their ids; undefined for one that does not exist. */
type FlowItems = ReadonlyMap<string, Record<string, unknown> | undefined>;

export type NamedSchedule = Schedule & { flowName: string | null };

export const scheduleStore = /* @__PURE__ */ using(
  ['table:write', wakeUps, recordStore, cleanupQueue],
  (scope: Scope) => {
    const { table, now, newId } = scope;

    /** @throws 404; 400 if the surface is of another type. */
    async function assertTakesSchedules({ productId, surfaceId }: SchedulePlace): Promise<void> {
      const surface = await table.get(surfaceEntity, { productId, id: surfaceId });
      if (!surface) throw notFound('Surface');
      if (surface.type === 'schedule') return;
      const message = `The surface has the type ${surface.type}. Create schedules on a surface of the type schedule`;
      throw invalidAt('surfaceId', 'INVALID_VALUE', message);
    }

    /** @throws 404 if the flow or one of the records does not exist. */
    async function assertTargets({ flowId, recordIds }: Targets): Promise<void> {
      const [flow, missing] = await Promise.all([
        flowId ? table.get(flowEntity, { id: flowId }) : true,
        recordIds ? recordStore(scope).missing(recordIds) : [],
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

    async function find({ productId, surfaceId }: SchedulePlace, id: string): Promise<Schedule> {
      const keys = [surfaceEntity.key({ productId, id: surfaceId }), scheduleEntity.key({ id })];
      const [surface, item] = await table.getMany(keys, { consistent: true });
      if (!surface) throw notFound('Surface');
      const schedule = item && decode(scheduleEntity, item);
      if (schedule?.surfaceId !== surfaceId) throw notFound('Schedule');
      return schedule;
    }

    async function allNamed(
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

    /** Applies changes to the stored schedule, and tells EventBridge Scheduler. */
    async function change(place: SchedulePlace, id: string, changes: ScheduleChanges): Promise<Schedule> {
      const at = now();
      const known = await find(place, id);
      // One that is enabled must be able to run.
      await assertTargets(changes.enabled ? { flowId: known.flowId, ...omitUndefined(changes) } : changes);
      let retimed = false;
      const decide = (before: Schedule): Modification<typeof scheduleEntity> => {
        const edited = changedSchedule(before, changes);
        retimed = isRetimed(before, edited);
        assertConsistent(edited, retimed && edited.enabled ? at : undefined);
        const nextRunAt = retimed ? nextRunAfter(edited, at) : before.nextRunAt;
        const after = { ...before, ...edited, nextRunAt, updatedAt: at.toISOString() };
        return { put: stored(retimed ? { ...after, sweepAt: repairAt(at) } : after) };
      };
      const options = { known, consistent: true, conflictError };
      const schedule = await table.modify(scheduleEntity, { id }, decide, options);
      if (!schedule) throw notFound('Schedule');
      if (retimed) await wakeUps(scope).follow(id);
      return schedule;
    }

    return {
      find,
      change,
      async named(schedule: Schedule): Promise<NamedSchedule> {
        const [named] = await allNamed([schedule]);
        return named ?? { ...schedule, flowName: null };
      },

      /** Oldest first. @throws 404; 400 if the surface is of another type. */
      async list(place: SchedulePlace): Promise<NamedSchedule[]> {
        const [entries] = await Promise.all([
          table.queryAll({ partition: schedulesPartition(place.surfaceId), index: 1 }),
          assertTakesSchedules(place),
        ]);
        const keys = entries.map(({ SK1 }) => scheduleEntity.key({ id: String(SK1) }));
        // Entries of schedules that an earlier release wrote have no summary.
        const flowIds = entries.flatMap(
          ({ summary }) => (summary as { flowId?: string } | undefined)?.flowId ?? [],
        );
        const flowKeys = flowIds.map((id) => flowEntity.key({ id }));
        const items = await table.getMany([...keys, ...flowKeys]);
        const flows = new Map(flowIds.map((id, at) => [id, items[keys.length + at]]));
        return allNamed(decodeReadable(scheduleEntity, items.slice(0, keys.length)), flows);
      },

      /** @throws 400, 404; 409 if the surface has as many schedules as it can have. */
      async create(place: SchedulePlace, principal: Principal, given: NewSchedule): Promise<Schedule> {
        const at = now();
        const { userId, organizationId, environment } = principal;
        const { flowId, triggerType } = given;
        const edited = changedSchedule({ ...scheduleDefaults, flowId, triggerType }, given);
        assertConsistent(edited, at);
        await assertTakesSchedules(place);
        await assertTargets(edited);
        const id = newId('schedule');
        const createdAt = createdAtFromId(id);
        const schedule: Schedule = {
          id,
          ...place,
          revision: 1,
          userId,
          organizationId,
          environment,
          ...edited,
          nextRunAt: nextRunAfter(edited, at),
          lastRunAt: null,
          lastFiring: null,
          sweepAt: repairAt(at),
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
        const removal = (): Modification<typeof scheduleEntity> => ({
          remove: true,
          alsoWrite: [
            table.writes.update(scheduleCountEntity, place, { add: { count: -1 } }),
            tombstoneWrite(scope, id),
          ],
        });
        const removed = await table.modify(scheduleEntity, { id }, removal, { conflictError });
        if (!removed) throw notFound('Schedule');
        await cleanupQueue(scope).deleted([id]);
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
          table.writes.insert(scheduleEntity, stored(schedule)),
          table.writes.update(scheduleCountEntity, { surfaceId }, { add: { count: 1 } }, hasRoom),
          table.writes.check(surfaceEntity, { productId, id: surfaceId }, exists),
        ]);
      } catch (error) {
        if (!(error instanceof ConditionFailed)) throw error;
        throw error.failed.includes(2) ? notFound('Surface') : tooMany();
      }
    }
  },
);

/** @throws 400 if the schedule does not fit an item of the table. */
function stored(schedule: Schedule) {
  const item = storedSchedule(schedule);
  const recordIds = JSON.stringify(schedule.recordIds);
  assertFits('a schedule', { recordIds, recordFilter: item.recordFilter }, scheduleBytesMax);
  return item;
}

const tooMany = () =>
  conflict({
    code: 'LIMIT_REACHED',
    message: `A surface has at most ${schedulesMax} schedules. Delete those that are no longer used`,
  });

const conflictError = () =>
  conflict('The schedule was changed by another request at the same time; read it again and retry');
