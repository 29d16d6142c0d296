import { expect, test } from 'vitest';
import { createAgent } from '../../support/agents/agents.ts';
import { createFlow, expectStatus } from '../../support/flows/flows.ts';
import { newTenant } from '../../support/stack/stack.ts';

test('pages run newest first to the end and back, without loss or repetition', async () => {
  const tenant = await newTenant();
  const ids: string[] = [];
  for (let n = 0; n < 5; n++) ids.unshift((await createAgent(tenant, { name: `Agent ${n}` })).id);
  const walk = async (first: string, cursorName: 'nextCursor' | 'prevCursor') => {
    const pages: string[][] = [];
    for (let query = first, left = 10; ; left--) {
      const { data, pagination } = await expectStatus(
        200,
        tenant.call('GET', `/v1/agents?limit=2&includeCount=true${query}`),
      );
      pages.push(data.map(({ id }: { id: string }) => id));
      expect(pagination).toMatchObject({ limit: 2, totalCount: 5, totalPages: 3 });
      if (!pagination[cursorName] || left === 0) return { pages, pagination };
      query = `&cursor=${pagination[cursorName]}`;
    }
  };
  const forth = await walk('', 'nextCursor');
  expect(forth.pages.flat()).toEqual(ids);
  const back = await walk(`&cursor=${forth.pagination.prevCursor}`, 'prevCursor');
  expect(back.pages.toReversed().flat()).toEqual(ids.slice(0, 4));
});

test('a row has the config, and null for a primary flow that was deleted', async () => {
  const tenant = await newTenant();
  const [kept, gone] = [await createFlow(tenant), await createFlow(tenant)];
  const config = { model: 'gpt-5-mini', tools: { toolIds: ['builtin:date-time'] } };
  const one = await createAgent(tenant, { primaryFlowId: kept.id, config, description: 'd', icon: 'i' });
  const other = await createAgent(tenant, { primaryFlowId: gone.id });
  await expectStatus(204, tenant.call('DELETE', `/v1/flows/${gone.id}`));
  const { data } = await expectStatus(200, tenant.call('GET', '/v1/agents'));
  const { createdAt, updatedAt } = one;
  expect(data).toEqual([
    expect.objectContaining({ id: other.id, primaryFlowId: null, config: null }),
    {
      id: one.id,
      name: 'An agent',
      description: 'd',
      icon: 'i',
      primaryFlowId: kept.id,
      config,
      status: 'active',
      createdAt,
      updatedAt,
      capabilityCount: 0,
      lastRunAt: null,
    },
  ]);
});

test('search matches part of a name, case-insensitively', async () => {
  const tenant = await newTenant();
  await createAgent(tenant, { name: 'Daily Report' });
  await createAgent(tenant, { name: 'Guide' });
  const { data } = await expectStatus(200, tenant.call('GET', '/v1/agents?search=REPORT'));
  expect(data.map(({ name }: { name: string }) => name)).toEqual(['Daily Report']);
});

test('pages of large configs end at 5 MB, and return each agent once in both directions', async () => {
  const tenant = await newTenant();
  const ids: string[] = [];
  // A line break takes three bytes in a response: `\\n` in JSON within a JSON string.
  const config = { systemPrompt: '\n'.repeat(99_000) };
  for (let n = 0; n < 20; n++) ids.unshift((await createAgent(tenant, { config })).id);
  const seen: string[] = [];
  let pages = 0;
  for (let query = ''; ; pages++) {
    const { data, pagination } = await expectStatus(200, tenant.call('GET', `/v1/agents?limit=50${query}`));
    seen.push(...data.map(({ id }: { id: string }) => id));
    if (!pagination.nextCursor) break;
    query = `&cursor=${pagination.nextCursor}`;
  }
  expect(seen).toEqual(ids);
  expect(pages).toBeGreaterThan(0);
}, 60_000);

test.each(['limit=0', 'limit=101', 'cursor=garbled', 'direction=prev', 'includeCount=yes'])(
  '400 for %s names the parameter',
  async (query) => {
    const { call } = await newTenant();
    const { details } = await expectStatus(400, call('GET', `/v1/agents?${query}`));
    expect(details[0].path).toBe(query.split('=')[0]);
  },
);
