import { productStore } from '../../../../shared/domain/products/product-store.ts';
import type { Schedule } from '../../../../shared/domain/schedules/schedule.ts';
import { scheduleEntity } from '../../../../shared/domain/schedules/schedule.ts';
import { type SchedulePlace, scheduleStore } from '../../../../shared/domain/schedules/schedule-store.ts';
import { surfaceEditor } from '../../../../shared/domain/surfaces/surface-editor.ts';
import { surfaceKeys } from '../../../../shared/domain/surfaces/surface-keys.ts';
import { scheduleFirer } from '../../../../shared/execution/schedules/fire-schedule.ts';
import { firingList } from '../../../../shared/execution/schedules/firing-list.ts';
import type { Pattern } from './access-pattern.ts';
import { type AccessWorld, sessionPrincipal } from './access-world.ts';

const timeLeft = () => 60_000;

async function newPlace({ scope, owner }: AccessWorld): Promise<SchedulePlace> {
  const product = await productStore(scope).create(owner, { name: 'A product' });
  const given = { name: 'Clock', type: 'schedule' } as const;
  const { surface } = await surfaceEditor(scope).create(product.id, given);
  return { productId: product.id, surfaceId: surface.id };
}

const create = (world: AccessWorld, place: SchedulePlace, changes: object = {}): Promise<Schedule> =>
  scheduleStore(world.scope).create(place, sessionPrincipal(world.tenant), {
    flowId: world.flow.id,
    triggerType: 'recurring',
    cron: '@daily',
    ...changes,
  });

async function newSchedule(world: AccessWorld, changes: object = {}) {
  const place = await newPlace(world);
  return { place, schedule: await create(world, place, changes) };
}

async function dueSchedule(world: AccessWorld, changes: object = {}) {
  const made = await newSchedule(world, changes);
  const { table, now } = world.scope;
  const set = { nextRunAt: now().toISOString() };
  await table.commit([table.writes.update(scheduleEntity, made.schedule, { set, add: { revision: 1 } })]);
  return made;
}

/** How schedules ask the table. */
export const schedulePatterns: Record<string, Pattern> = {
  'Create a schedule': {
    commands: '3 GetItem, TransactWriteItems, UpdateItem',
    units: [6, 13],
    indexes: 'GSI1, GSI2',
    run: async (world) => {
      const place = await newPlace(world);
      return () => create(world, place);
    },
  },
  'Get a schedule': {
    commands: 'BatchGetItem',
    units: 2,
    run: async (world) => {
      const { place, schedule } = await newSchedule(world);
      return () => scheduleStore(world.scope).find(place, schedule.id);
    },
  },
  'List the schedules of a surface': {
    commands: 'Query, GetItem, BatchGetItem',
    units: 2,
    indexes: 'GSI1',
    run: async (world) => {
      const { place } = await newSchedule(world);
      return () => scheduleStore(world.scope).list(place);
    },
  },
  'Pause a schedule': {
    commands: 'BatchGetItem, PutItem, GetItem, UpdateItem',
    units: 8,
    indexes: 'GSI2',
    run: async (world) => {
      const { place, schedule } = await newSchedule(world);
      return () => scheduleStore(world.scope).change(place, schedule.id, { enabled: false });
    },
  },
  'Delete a schedule': {
    commands: 'BatchGetItem, GetItem, TransactWriteItems',
    units: [5, 14.5, 11.5],
    indexes: 'GSI1, GSI2',
    run: async (world) => {
      const { place, schedule } = await newSchedule(world);
      return () => scheduleStore(world.scope).remove(place, schedule.id);
    },
  },
  'Wake a schedule that is not due': {
    commands: 'GetItem',
    units: 1,
    run: async (world) => {
      const { schedule } = await newSchedule(world);
      return () => scheduleFirer(world.scope)(schedule.id, timeLeft);
    },
  },
  'Fire a schedule without records': {
    commands: '2 GetItem, 2 BatchGetItem, 2 TransactWriteItems, 2 UpdateItem',
    units: [13, 28.5, 28],
    indexes: 'GSI1, GSI2',
    run: async (world) => {
      const { schedule } = await dueSchedule(world);
      return () => scheduleFirer(world.scope)(schedule.id, timeLeft);
    },
  },
  'List the runs of a schedule': {
    commands: '2 GetItem, Query, BatchGetItem',
    // DynamoDB Local counts less.
    units: [2, 7],
    indexes: 'GSI1',
    run: async (world) => {
      const { schedule } = await dueSchedule(world, { recordType: 'none' });
      await scheduleFirer(world.scope)(schedule.id, timeLeft);
      return () => firingList(world.scope).listBySchedule(schedule.id, world.page());
    },
  },
  'Clean up after a surface with a key and a schedule': {
    commands: '6 Query, 3 BatchWriteItem, TransactWriteItems',
    units: [5, 17, 14],
    indexes: 'GSI1, GSI2',
    run: async (world) => {
      const { place } = await newSchedule(world);
      const given = { name: null, environment: 'test', scopes: [], expiresAt: null } as const;
      await surfaceKeys(world.scope).create(sessionPrincipal(world.tenant), place, { ...given, scopes: [] });
      return () => world.clean(place.surfaceId);
    },
  },
};
