import { notFound } from '../../core/errors/errors.ts';
import { decode, decodeReadable } from '../../platform/data/entity.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { flowEntity } from '../flows/flow.ts';
import { surfaceEntity } from '../surfaces/surface/surface.ts';
import { type Schedule, scheduleEntity, schedulesPartition } from './schedule.ts';
import { assertTakesSchedules, type SchedulePlace } from './schedule-place.ts';

/** Flows by their ids; undefined for one that does not exist. */
type FlowItems = ReadonlyMap<string, Record<string, unknown> | undefined>;

export type NamedSchedule = Schedule & { flowName: string | null };

/** @throws 404 */
export async function findSchedule(
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

export async function nameSchedules(
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
export async function readSchedules(scope: Scope, place: SchedulePlace): Promise<NamedSchedule[]> {
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
