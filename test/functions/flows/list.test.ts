import { expect, test } from 'vitest';
import { createFlow, expectStatus, template } from '../../support/flows/flows.ts';
import { newTenant } from '../../support/stack/stack.ts';

async function tenantWithFlows(count: number) {
  const tenant = await newTenant();
  const ids: string[] = [];
  for (let n = 0; n < count; n++) ids.unshift((await createFlow(tenant, [template('x')], `Flow ${n}`)).id);
  return { ...tenant, ids };
}

test('pages run newest first to the end and back, without loss or repetition', async () => {
  const { call, ids } = await tenantWithFlows(7);
  const walk = async (first: string, cursorName: 'nextCursor' | 'prevCursor') => {
    const pages: string[][] = [];
    for (let query = first, left = 10; ; left--) {
      const { data, pagination } = await expectStatus(200, call('GET', `/v1/flows?limit=3${query}`));
      pages.push(data.map(({ id }: { id: string }) => id));
      if (!pagination[cursorName] || left === 0) return { pages, pagination };
      query = `&cursor=${pagination[cursorName]}`;
    }
  };
  const forth = await walk('', 'nextCursor');
  expect(forth.pages.flat()).toEqual(ids);
  expect(forth.pagination).toMatchObject({
    hasMore: false,
    nextCursor: null,
    hasPrev: true,
    currentOffset: 6,
    limit: 3,
  });
  const back = await walk(`&cursor=${forth.pagination.prevCursor}`, 'prevCursor');
  expect(back.pages.toReversed().flat()).toEqual(ids.slice(0, 6));
  expect(back.pagination).toMatchObject({
    hasPrev: false,
    prevCursor: null,
    hasMore: true,
    currentOffset: 0,
  });
});

test('returns counts only on request', async () => {
  const { call } = await tenantWithFlows(3);
  const plain = await expectStatus(200, call('GET', '/v1/flows?limit=2'));
  expect(plain.pagination).not.toHaveProperty('totalCount');
  const counted = await expectStatus(200, call('GET', '/v1/flows?limit=2&includeCount=true'));
  expect(counted.pagination).toMatchObject({ totalCount: 3, totalPages: 2, currentPage: 1 });
});

test('search matches part of a name, case-insensitively', async () => {
  const tenant = await newTenant();
  await createFlow(tenant, [], 'Daily Report');
  await createFlow(tenant, [], 'Cleanup');
  const { data } = await expectStatus(200, tenant.call('GET', '/v1/flows?search=REPORT'));
  expect(data.map(({ name }: { name: string }) => name)).toEqual(['Daily Report']);
});

test.each([
  'limit=0',
  'limit=-1',
  'limit=abc',
  'limit=101',
  'limit=1.5',
  'cursor=garbled',
  'direction=sideways',
  'direction=prev',
  'includeCount=yes',
])('400 for %s names the parameter', async (query) => {
  const { call } = await newTenant();
  const { status, body } = await call('GET', `/v1/flows?${query}`);
  expect(status).toBe(400);
  expect(body.details[0].path).toBe(query.split('=')[0]);
});

test('400 for a direction that the cursor does not support', async () => {
  const { call } = await tenantWithFlows(2);
  const { pagination } = await expectStatus(200, call('GET', '/v1/flows?limit=1'));
  expect((await call('GET', `/v1/flows?limit=1&direction=prev&cursor=${pagination.nextCursor}`)).status).toBe(
    400,
  );
  expect((await call('GET', `/v1/flows?limit=1&direction=next&cursor=${pagination.nextCursor}`)).status).toBe(
    200,
  );
});
