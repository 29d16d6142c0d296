import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { requestHash } from '../../../../shared/execution/engine/try-step.ts';
import { emptyWorld } from '../../../support/stack/ports.ts';

const ports = {
  model: { ...emptyWorld.model, identity: async (name: string) => ({ provider: 'openai', modelId: name }) },
  agents: { ...emptyWorld.agents, versionOf: async (id: string) => `version of ${id}` },
};

/** Stored results are found by these in every later release: raise the version instead of changing one. */
test.each<[string, object, string]>([
  [
    'prompt',
    {
      request: {
        model: 'm',
        system: ['s'],
        messages: [{ role: 'user', content: 'Hello' }],
        format: 'text',
        settings: {},
      },
      models: ['m'],
    },
    'IFKiUJHqDwBdAC_d',
  ],
  [
    'api-call',
    { request: { url: 'https://example.com', method: 'POST', headers: { a: 'b' }, body: '{}' } },
    'z38_SsivGRf7sz0M',
  ],
  [
    'execute-agent',
    { request: { agent: 'agent_1', message: 'Hello' }, agents: ['agent_1'] },
    'zh9nxXXriWqwVnQk',
  ],
  ['send-event', { request: { type: 't', payload: { b: [1, null, 'ü🙂'], a: {} } } }, '1qbudISdscoWp6Pi'],
])('the hash of a fixed request of %s never changes', async (type, plan, hash) => {
  expect(await requestHash(type, plan as { request: object }, ports)).toBe(hash);
});

test('the order of members says nothing, any other difference makes another hash', async () => {
  const hash = (request: unknown) => requestHash('send-event', { request }, ports);
  const reversed = (value: unknown): unknown =>
    typeof value !== 'object' || value === null
      ? value
      : Array.isArray(value)
        ? value.map(reversed)
        : Object.fromEntries(
            Object.entries(value)
              .reverse()
              .map(([name, member]) => [name, reversed(member)]),
          );
  await fc.assert(
    fc.asyncProperty(fc.jsonValue(), fc.jsonValue(), async (one, other) => {
      expect(await hash(reversed(one))).toBe(await hash(one));
      const isEqual = JSON.stringify(one) === JSON.stringify(other) || isDeepStrictEqual(one, other);
      if (!isEqual) expect(await hash(other)).not.toBe(await hash(one));
    }),
  );
});

test('another meaning of a name is another request, another name with the same meaning is not', async () => {
  const plan = (model: string) => ({ request: { model, messages: ['x'] }, models: [model] });
  const meaning = (modelId: string) => ({
    ...ports,
    model: { ...ports.model, identity: async () => ({ provider: 'openai', modelId }) },
  });
  const first = await requestHash('prompt', plan('default'), meaning('gpt-5'));
  expect(await requestHash('prompt', plan('modelcfg_1'), meaning('gpt-5'))).toBe(first);
  expect(await requestHash('prompt', plan('default'), meaning('gpt-6'))).not.toBe(first);
});
