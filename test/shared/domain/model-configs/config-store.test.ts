import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { hasCode } from '../../../../shared/core/errors/errors.ts';
import { readModelAccount } from '../../../../shared/domain/model-configs/model-account.ts';
import { modelWorld } from '../../../support/models/model-world.ts';

/** What the rules say, kept as a plain list: configs in the order of their creation, and which one is the default. */
interface Expected {
  configs: { id: string; isEnabled: boolean }[];
  current: string | undefined;
}

const firstEnabled = ({ configs }: Expected, except: string) =>
  configs.find(({ id, isEnabled }) => isEnabled && id !== except)?.id;

const step = fc.record({
  action: fc.constantFrom('create', 'create', 'remove', 'default', 'enable', 'disable'),
  index: fc.nat(5),
});

async function apply(
  world: ReturnType<typeof modelWorld>,
  expected: Expected,
  action: string,
  index: number,
) {
  const { configs, principal } = world;
  if (action === 'create') {
    const { id } = await world.config({ provider: 'openai', modelId: 'gpt-5-mini' });
    expected.configs.push({ id, isEnabled: true });
    expected.current ??= id;
    return;
  }
  const config = expected.configs[index % Math.max(1, expected.configs.length)];
  if (!config) return;
  const { id } = config;
  if (action === 'remove') {
    await configs.remove(principal, id);
    if (expected.current === id) expected.current = firstEnabled(expected, id);
    expected.configs.splice(expected.configs.indexOf(config), 1);
    return;
  }
  const isEnabled = action === 'enable' || (action === 'default' && config.isEnabled);
  const change = action === 'default' ? { isDefault: true } : { isEnabled };
  const refused = await configs.update(principal, id, change).then(
    () => false,
    (error) => {
      if (hasCode(error, 'VALIDATION')) return true;
      throw error;
    },
  );
  const isCurrent = expected.current === id;
  const successor = firstEnabled(expected, id);
  expect(refused).toBe(!isEnabled && (action === 'default' || (isCurrent && successor === undefined)));
  if (refused) return;
  config.isEnabled = isEnabled;
  if (action === 'default') expected.current = id;
  if (action === 'disable' && isCurrent) expected.current = successor;
  if (action === 'enable') expected.current ??= id;
}

test('any sequence of changes leaves the default that the rules say', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 20 }), async (steps) => {
      const world = modelWorld();
      const expected: Expected = { configs: [], current: undefined };
      for (const { action, index } of steps) {
        await apply(world, expected, action, index);
        const { configs, defaults } = await readModelAccount(world.scope.table);
        expect(configs.map(({ id, isEnabled }) => ({ id, isEnabled }))).toEqual(expected.configs);
        expect(defaults.modelConfigId).toBe(expected.current);
      }
    }),
    { numRuns: 25 },
  );
}, 120_000);

const openai = { provider: 'openai', modelId: 'gpt-5-mini' } as const;

/** A tenant with configs, and what another request does right after the next read of the account. */
async function contested(count: number) {
  const world = modelWorld();
  const ids: string[] = [];
  for (let n = 0; n < count; n++) ids.push((await world.config(openai)).id);
  const afterNextRead = (work: () => Promise<unknown>) => {
    const { queryAll } = world.scope.table;
    vi.spyOn(world.scope.table, 'queryAll').mockImplementationOnce(async (options) => {
      const items = await queryAll(options);
      await work();
      return items;
    });
  };
  return { ...world, ids, afterNextRead };
}

const defaultOf = async ({ scope }: ReturnType<typeof modelWorld>) =>
  (await readModelAccount(scope.table)).defaults.modelConfigId;

test('a deletion does not promote a config that another request deletes at the same time', async () => {
  const world = await contested(3);
  const [first = '', second = '', third] = world.ids;
  world.afterNextRead(() => world.configs.remove(world.principal, second));
  await world.configs.remove(world.principal, first);
  expect(await defaultOf(world)).toBe(third);
});

test('a deletion of the last config does not leave one without a default that another request creates', async () => {
  const world = await contested(1);
  let created = '';
  world.afterNextRead(async () => {
    created = (await world.config(openai)).id;
  });
  await world.configs.remove(world.principal, world.ids[0] ?? '');
  expect(await defaultOf(world)).toBe(created);
});

test('a config that another request disables does not become the default', async () => {
  const world = await contested(2);
  const [, second = ''] = world.ids;
  world.afterNextRead(() => world.configs.update(world.principal, second, { isEnabled: false }));
  const refused = world.configs.update(world.principal, second, { isDefault: true });
  await expect(refused).rejects.toMatchObject({ details: [{ path: 'isDefault' }] });
  expect(await defaultOf(world)).toBe(world.ids[0]);
});
