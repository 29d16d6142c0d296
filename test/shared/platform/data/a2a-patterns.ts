import { pushConfigStore } from '../../../../shared/domain/a2a-tasks/push-config-store.ts';
import { findTaskEndNotification } from '../../../../shared/domain/a2a-tasks/task-notice.ts';
import { a2aTaskStore } from '../../../../shared/domain/a2a-tasks/task-store.ts';
import { onConditionFailed } from '../../../../shared/platform/data/condition-failed.ts';
import type { Pattern } from './access-pattern.ts';
import type { AccessWorld } from './access-world.ts';

async function withTask({ scope }: AccessWorld) {
  const owner = { surfaceId: scope.newId('surface'), caller: 'a caller' };
  const tasks = a2aTaskStore(scope);
  const given = {
    ...owner,
    id: scope.newId('task'),
    contextId: 'a context',
    itemId: scope.newId('item'),
    kind: 'flow' as const,
    executionId: scope.newId('exec'),
    batchId: null,
    leaseUntil: null,
    hidesReasons: true,
  };
  const message = { id: 'm', parts: [{ text: 'Hello' }] };
  const create = () => tasks.create(given, message);
  return { tasks, owner, given, create, message };
}

/** A task whose caller is told of its end. */
async function followedTask(world: AccessWorld) {
  const { owner, create } = await withTask(world);
  const { id } = await create();
  const configs = pushConfigStore(world.scope);
  const given = { id: 'a', url: 'https://example.com', token: '', authentication: undefined };
  const add = async () => configs.add(owner, id, await configs.seal(id, { ...given, version: '1.0' }));
  return { key: { surfaceId: owner.surfaceId, id }, add };
}

/** How the tasks of a2a surfaces ask the table. */
export const a2aPatterns: Record<string, Pattern> = {
  'Begin a task': {
    commands: 'TransactWriteItems',
    units: [6, 8],
    indexes: 'GSI1, GSI2',
    run: async (world) => (await withTask(world)).create,
  },
  'Get a task': {
    commands: 'GetItem',
    units: 1,
    run: async (world) => {
      const { tasks, owner, create } = await withTask(world);
      const { id } = await create();
      return () => tasks.find(owner, id);
    },
  },
  'Answer a task': {
    commands: 'UpdateItem',
    units: 1,
    run: async (world) => {
      const { tasks, create, message } = await withTask(world);
      const task = await create();
      return async () => {
        const { write } = await tasks.prepareMessage(task, message, null);
        await world.scope.table.commit([write]);
      };
    },
  },
  'A message that was sent before': {
    commands: 'TransactWriteItems, 2 GetItem',
    units: 2,
    run: async (world) => {
      const { tasks, owner, given, create, message } = await withTask(world);
      await create();
      const again = { ...given, id: world.scope.newId('task') };
      return () =>
        tasks
          .create(again, message)
          .catch(onConditionFailed(undefined))
          .then(() => tasks.findBegunTask(again, message))
          .then((id) => tasks.find(owner, id));
    },
  },
  'Extend the lease of a task': {
    commands: 'UpdateItem',
    units: 1,
    run: async (world) => {
      const { tasks, given, message } = await withTask(world);
      const task = await tasks.create({ ...given, leaseUntil: '2026' }, message);
      return () => tasks.extendLease(task, '2027');
    },
  },
  'End a task': {
    commands: 'UpdateItem',
    units: 1,
    run: async (world) => {
      const { tasks, create } = await withTask(world);
      const task = await create();
      return () => tasks.end(task, { status: 'completed', output: 'Hello Ada', error: null });
    },
  },
  'Add a push notification config': {
    commands: 'GetItem, UpdateItem',
    units: 2,
    run: async (world) => (await followedTask(world)).add,
  },
  'Tell that a task has ended': {
    commands: '2 GetItem, PutItem',
    units: 4,
    indexes: 'GSI2',
    run: async (world) => {
      const { key, add } = await followedTask(world);
      await add();
      return async () => {
        const notice = await findTaskEndNotification(world.scope, key);
        await world.scope.table.commit(notice.writes);
        await notice.send();
      };
    },
  },
  'List the tasks of a caller': {
    commands: '2 Query, BatchGetItem',
    units: 2,
    indexes: 'GSI1',
    run: async (world) => {
      const { tasks, owner, create } = await withTask(world);
      await create();
      const page = { contextId: undefined, limit: 50, cursor: undefined };
      return () => tasks.list(owner, page);
    },
  },
  'The tasks of a context': {
    commands: 'Query, BatchGetItem',
    units: 1.5,
    indexes: 'GSI2',
    run: async (world) => {
      const { tasks, owner, create } = await withTask(world);
      await create();
      return () => tasks.listByContext(owner, 'a context');
    },
  },
};
