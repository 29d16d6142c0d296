import { beforeAll, expect, test } from 'vitest';
import { createTool, definition } from '../../support/files/tools.ts';
import { expectStatus } from '../../support/flows/flows.ts';
import { newTenant, type Tenant } from '../../support/stack/stack.ts';

let tenant: Tenant;
let ids: string[];

beforeAll(async () => {
  tenant = await newTenant();
  ids = [];
  const url = { config: { url: 'https://a.example' } };
  for (const changes of [
    { name: 'Weather now' },
    { name: 'Send', toolType: 'external', ...url },
    { name: 'Ask', toolType: 'local', config: {} },
    { name: 'Later weather' },
  ]) {
    ids.unshift((await createTool(tenant, changes)).id);
  }
  await expectStatus(200, tenant.call('PUT', `/v1/tools/${ids[1]}`, { body: { isActive: false } }));
});

const list = async (query: string) => expectStatus(200, tenant.call('GET', `/v1/tools?${query}`));
const listed = async (query: string) =>
  (await list(query)).data.map(({ id }: { id: string }) => ids.indexOf(id));

test('rows show what a list needs, and the schemas if asked', async () => {
  const { data, pagination } = await list('limit=1&includeCount=true');
  const { toolType, description, parametersSchema } = definition;
  const row = {
    id: ids[0],
    name: 'Later weather',
    toolType,
    description,
    isActive: true,
    createdAt: expect.any(String),
    updatedAt: expect.any(String),
  };
  expect(data).toEqual([row]);
  expect(pagination).toMatchObject({ hasMore: true, totalCount: 4, totalPages: 4, limit: 1 });
  expect((await list('limit=1&include=parametersSchema')).data).toEqual([{ ...row, parametersSchema }]);
});

test('pages run newest first to the end and back', async () => {
  const first = await list('limit=3');
  expect(first.data.map(({ id }: { id: string }) => id)).toEqual(ids.slice(0, 3));
  const second = await list(`limit=3&cursor=${first.pagination.nextCursor}`);
  expect(second.data.map(({ id }: { id: string }) => id)).toEqual(ids.slice(3));
  const back = await list(`limit=3&cursor=${second.pagination.prevCursor}&direction=prev`);
  expect(back.data).toEqual(first.data);
});

test.each([
  ['tool_type=custom', [0, 3]],
  ['tool_type=graphql', []],
  ['search=WEATHER', [0, 3]],
  ['search=weather&tool_type=local', []],
  ['isActive=true', [0, 2, 3]],
  ['isActive=false', [1]],
  ['distinct=tool_type', [0, 1, 2]],
  ['distinct=tool_type&isActive=true', [0, 2]],
  ['distinct=tool_type&search=now', [3]],
])('%s returns exactly those tools', async (query, expected) => {
  expect(await listed(query)).toEqual(expected);
});

test('ids returns these tools, without unknown ones and those that other filters exclude', async () => {
  const asked = `ids=${ids[3]},${ids[1]},tool_${'0'.repeat(26)},nonsense`;
  expect(await listed(asked)).toEqual([3, 1]);
  expect(await listed(`${asked}&isActive=true`)).toEqual([3]);
});

test.each([
  'tool_type=magic',
  'isActive=yes',
  'limit=0',
  'include=config',
  'distinct=name',
  'cursor=x',
  `ids=${'a,'.repeat(200)}`.replace(/a/g, () => String(Math.random())),
])('400 for %s', async (query) => {
  await expectStatus(400, tenant.call('GET', `/v1/tools?${query}`));
});

test('a page of large schemas ends early and continues', async () => {
  const other = await newTenant();
  const parametersSchema = { title: '"'.repeat(30_000) };
  for (let n = 0; n < 45; n++) await createTool(other, { parametersSchema });
  const page = await expectStatus(200, other.call('GET', '/v1/tools?limit=100&include=parametersSchema'));
  expect(page.data.length).toBeLessThan(45);
  expect(page.pagination).toMatchObject({ hasMore: true, limit: 100 });
  const rest = await expectStatus(
    200,
    other.call('GET', `/v1/tools?limit=100&include=parametersSchema&cursor=${page.pagination.nextCursor}`),
  );
  expect(page.data.length + rest.data.length).toBe(45);
});

test('schemas: of these ids with built-in ones, in their order; else of the newest active tools', async () => {
  const schemas = async (query: string) =>
    (await expectStatus(200, tenant.call('GET', `/v1/tools/schema${query}`))).tools;
  const found = await schemas(`?toolIds=builtin:date-time,${ids[1]},tool_${'0'.repeat(26)}`);
  expect(found.map(({ id }: { id: string }) => id)).toEqual(['builtin:date-time', ids[1]]);
  expect(found[0]).toMatchObject({ toolType: 'builtin', parametersSchema: { type: 'object' } });
  expect((await schemas('')).map(({ id }: { id: string }) => ids.indexOf(id))).toEqual([0, 2, 3]);
  await expectStatus(400, tenant.call('GET', '/v1/tools/schema?toolIds=nonsense'));
});
