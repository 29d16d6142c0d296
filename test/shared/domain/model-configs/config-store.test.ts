import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hasCode } from '../../../../shared/core/errors.ts';
import { readModelAccount } from '../../../../shared/domain/model-configs/model-account.ts';
import { modelWorld } from '../../../support/model-world.ts';

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
