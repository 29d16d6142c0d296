import { expect, test } from 'vitest';
import { expectStatus } from '../../support/flows/flows.ts';
import { defaultsAmong, listConfigs, newConfig, newProviderKey } from '../../support/models/model-configs.ts';
import { newTenant, type Tenant } from '../../support/stack/stack.ts';

const some = (tenant: Tenant, count: number) =>
  Promise.all(Array.from({ length: count }, () => newConfig(tenant))).then((configs) =>
    configs.map(({ id }) => id as string).toSorted(),
  );
const setDefault = ({ call }: Tenant, id: string) => call('PATCH', `/v1/model-configs/${id}/default`);
const setStatus = ({ call }: Tenant, id: string, isEnabled: boolean) =>
  call('PATCH', `/v1/model-configs/${id}/status`, { body: { isEnabled } });
const remove = ({ call }: Tenant, id: string) => call('DELETE', `/v1/model-configs/${id}`);
const put = ({ call }: Tenant, id: string, body: object) => call('PUT', `/v1/model-configs/${id}`, { body });
const currentDefault = async (tenant: Tenant) => defaultsAmong(await listConfigs(tenant));

test('the first list creates a default config; further lists, also parallel ones, return the same', async () => {
  const tenant = await newTenant();
  const lists = await Promise.all(Array.from({ length: 10 }, () => listConfigs(tenant)));
  const [first] = lists.flat();
  for (const list of lists) expect(list).toEqual([first]);
  expect(first).toMatchObject({ isDefault: true, isEnabled: true, keyStatus: 'needs_setup' });
});

test('the default config is the best model that the tenant has a key for', async () => {
  const tenant = await newTenant();
  await newProviderKey(tenant, { provider: 'groq' });
  expect(await listConfigs(tenant)).toMatchObject([
    { provider: 'groq', modelId: 'openai/gpt-oss-120b', keyStatus: 'custom', isDefault: true },
  ]);
});

test('PATCH default makes a config the default and returns it', async () => {
  const tenant = await newTenant();
  const [first, second = ''] = await some(tenant, 2);
  expect(await currentDefault(tenant)).toEqual([expect.any(String)]);
  const body = await expectStatus(200, setDefault(tenant, second));
  expect(body).toMatchObject({
    success: true,
    message: 'GPT-5 Mini is the default model',
    data: { id: second },
  });
  expect(await currentDefault(tenant)).toEqual([second]);
  expect((await expectStatus(200, put(tenant, first ?? '', { isDefault: true }))).isDefault).toBe(true);
  expect(await currentDefault(tenant)).toEqual([first]);
});

test('20 parallel calls of default leave exactly one default', async () => {
  const tenant = await newTenant();
  const ids = await some(tenant, 5);
  const calls = Array.from({ length: 20 }, (_, n) => setDefault(tenant, ids[n % ids.length] ?? ''));
  for (const { status } of await Promise.all(calls)) expect(status).toBe(200);
  expect(await currentDefault(tenant)).toHaveLength(1);
}, 60_000);

test('deleting the default promotes the longest-existing enabled config', async () => {
  const tenant = await newTenant();
  const ids: string[] = [];
  for (let n = 0; n < 4; n++) ids.push((await newConfig(tenant)).id);
  const [first = '', second = '', third = '', fourth = ''] = ids;
  await expectStatus(200, setStatus(tenant, second, false));
  await expectStatus(204, remove(tenant, first));
  expect(await currentDefault(tenant)).toEqual([third]);
  await expectStatus(204, remove(tenant, fourth));
  expect(await currentDefault(tenant)).toEqual([third]);
});

test('parallel deletions, among them of each default, leave the one that remains as the default', async () => {
  const tenant = await newTenant();
  const ids = await some(tenant, 8);
  const [kept, ...others] = ids;
  const answers = await Promise.all(others.map((id) => remove(tenant, id)));
  expect(answers.map(({ status }) => status)).toEqual(others.map(() => 204));
  expect(await currentDefault(tenant)).toEqual([kept]);
  expect(await listConfigs(tenant)).toHaveLength(1);
}, 60_000);

test('any mix of parallel changes leaves exactly one default, which is enabled', async () => {
  const tenant = await newTenant();
  const ids = await some(tenant, 6);
  const at = (n: number) => ids[n] ?? '';
  await Promise.all([
    setDefault(tenant, at(0)),
    remove(tenant, at(0)),
    setDefault(tenant, at(1)),
    setStatus(tenant, at(1), false),
    remove(tenant, at(2)),
    setDefault(tenant, at(3)),
    setStatus(tenant, at(3), false),
    newConfig(tenant),
    remove(tenant, at(4)),
    setDefault(tenant, at(5)),
  ]);
  const configs = await listConfigs(tenant);
  const defaults = configs.filter(({ isDefault }) => isDefault);
  expect(defaults).toHaveLength(1);
  expect(defaults[0]?.isEnabled).toBe(true);
}, 60_000);

test('after the last config is deleted, the next list creates a default one', async () => {
  const tenant = await newTenant();
  const [only = ''] = await some(tenant, 1);
  await expectStatus(204, remove(tenant, only));
  const [again] = await listConfigs(tenant);
  expect(again).toMatchObject({ isDefault: true });
  expect(again?.id).not.toBe(only);
});

test('if only disabled configs remain, the next list creates a default one', async () => {
  const tenant = await newTenant();
  const [first = '', second = ''] = await some(tenant, 2);
  await setDefault(tenant, first);
  await expectStatus(200, setStatus(tenant, second, false));
  await expectStatus(204, remove(tenant, first));
  const configs = await listConfigs(tenant);
  expect(configs).toMatchObject([{ id: second, isDefault: false, isEnabled: false }, { isDefault: true }]);
});

test('disabling the default promotes another config; 400 if there is none', async () => {
  const tenant = await newTenant();
  const [first = '', second = ''] = await some(tenant, 2);
  await setDefault(tenant, first);
  const { message } = await expectStatus(200, setStatus(tenant, first, false));
  expect(message).toBe('GPT-5 Mini is disabled');
  expect(await currentDefault(tenant)).toEqual([second]);
  const { details } = await expectStatus(400, setStatus(tenant, second, false));
  expect(details).toMatchObject([{ path: 'isEnabled', code: 'INVALID_VALUE' }]);
  expect((await expectStatus(200, setStatus(tenant, first, true))).message).toBe('GPT-5 Mini is enabled');
  expect(await currentDefault(tenant)).toEqual([second]);
});

test('400 for making a disabled config the default, and for leaving no default', async () => {
  const tenant = await newTenant();
  const [first = '', second = ''] = await some(tenant, 2);
  await setDefault(tenant, first);
  await expectStatus(200, put(tenant, second, { isEnabled: false }));
  for (const answer of [setDefault(tenant, second), put(tenant, first, { isDefault: false })]) {
    expect((await expectStatus(400, answer)).details).toMatchObject([{ path: 'isDefault' }]);
  }
  await expectStatus(200, put(tenant, second, { isDefault: false, settings: { temperature: 1 } }));
  expect(await currentDefault(tenant)).toEqual([first]);
});

test('PUT changes what is sent and keeps the rest', async () => {
  const tenant = await newTenant();
  const { id: providerKeyId } = await newProviderKey(tenant);
  const before = await newConfig(tenant, { providerKeyId, settings: { temperature: 1, maxTokens: 5 } });
  const settings = { maxTokens: 7 };
  const after = await expectStatus(200, put(tenant, before.id, { settings }));
  expect(after).toEqual({ ...before, settings, updatedAt: expect.any(String) });
  expect(await expectStatus(200, put(tenant, before.id, { providerKeyId: null }))).toMatchObject({
    providerKeyId: null,
    keyStatus: 'custom',
    settings,
  });
});

test.each([
  { settings: { temperature: 3 } },
  { providerKeyId: `providerkey_${'0'.repeat(26)}` },
  { name: 'x' },
])('400 for %j in a PUT', async (body) => {
  const tenant = await newTenant();
  const { id } = await newConfig(tenant);
  await expectStatus(400, put(tenant, id, body));
});

test('400 for a PUT that removes the prices of an unlisted model', async () => {
  const tenant = await newTenant();
  const customModel = { displayName: 'Ours', inputCostPer1kTokens: 0.1, outputCostPer1kTokens: 0.3 };
  const { id } = await newConfig(tenant, { modelId: 'ours', settings: { customModel } });
  const { details } = await expectStatus(400, put(tenant, id, { settings: {} }));
  expect(details).toMatchObject([{ path: 'modelId', code: 'INVALID_VALUE' }]);
});

test('400 for a status that is none', async () => {
  const tenant = await newTenant();
  const { id } = await newConfig(tenant);
  for (const body of [{}, { isEnabled: 'no' }]) {
    const { details } = await expectStatus(
      400,
      tenant.call('PATCH', `/v1/model-configs/${id}/status`, { body }),
    );
    expect(details).toMatchObject([{ path: 'isEnabled' }]);
  }
});
