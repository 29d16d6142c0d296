import { randomUUID } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { expect, inject, test } from 'vitest';
import { askStep, createBudget, dispatchSteps, getBudget } from '../../support/flows/budgets.ts';
import { expectStatus } from '../../support/flows/flows.ts';
import type { ReceivedWebhook } from '../../support/servers/webhook-receiver.ts';
import { notFoundBody } from '../../support/stack/errors.ts';
import { eventually } from '../../support/stack/eventually.ts';
import { tenantWithKey } from '../../support/stack/keys.ts';
import { newTenant } from '../../support/stack/stack.ts';

test('a budget is created, read, listed, changed and deleted', async () => {
  const tenant = await newTenant();
  const created = await createBudget(tenant, { period: 'month', timezone: 'Europe/Berlin', limit: '25.00' });
  expect(created).toMatchObject({
    name: 'A budget',
    scope: { type: 'tenant' },
    period: 'month',
    limit: '25.00',
    timezone: 'Europe/Berlin',
    action: 'block',
    alertAt: [50, 80, 100],
    notify: { emails: [] },
    spent: '0',
    reserved: '0',
    remaining: '25',
    status: 'ok',
    uncounted: false,
  });
  expect(created.resetsAt > created.periodStart).toBe(true);
  expect(await getBudget(tenant, created.id)).toEqual(created);
  const list = await expectStatus(200, tenant.call('GET', '/v1/budgets'));
  expect(list).toMatchObject({ data: [created], pagination: { nextCursor: null, hasMore: false } });
  const change = { name: 'Other', limit: '30', alertAt: [90, 10] };
  const changed = await expectStatus(200, tenant.call('PUT', `/v1/budgets/${created.id}`, { body: change }));
  expect(changed).toMatchObject({
    name: 'Other',
    limit: '30',
    remaining: '30',
    alertAt: [10, 90],
    period: 'month',
  });
  await expectStatus(204, tenant.call('DELETE', `/v1/budgets/${created.id}`));
  expect(await expectStatus(404, tenant.call('GET', `/v1/budgets/${created.id}`))).toEqual(
    notFoundBody('Budget'),
  );
});

test.each([
  ['limit', { limit: 25 }],
  ['limit', { limit: '0' }],
  ['limit', { limit: '-1' }],
  ['limit', { limit: '1e3' }],
  ['limit', { limit: ' 1' }],
  ['limit', { limit: '01' }],
  ['limit', { limit: 'NaN' }],
  ['limit', { limit: '1'.repeat(40) }],
  ['limit', { limit: '0.0000000000001' }],
  ['period', { period: 'year' }],
  ['timezone', { timezone: 'Europe/Atlantis' }],
  ['action', { action: 'stop' }],
  ['alertAt', { alertAt: [50, 50] }],
  ['alertAt.0', { alertAt: [0] }],
  ['scope.id', { scope: { type: 'flow' } }],
  ['scope.id', { scope: { type: 'flow', id: `agent_${'0'.repeat(26)}` } }],
  ['scope.id', { scope: { type: 'flow', id: `flow_${'0'.repeat(26)}` } }],
  ['scope.id', { scope: { type: 'surface', id: `surface_${'0'.repeat(26)}` } }],
  ['scope.id', { scope: { type: 'tenant', id: 'x' } }],
  ['notify.emails.0', { notify: { emails: ['ada'] } }],
  ['notify.webhookUrl', { notify: { webhookUrl: 'file:///etc/passwd' } }],
  ['name', { name: '' }],
  ['spent', { spent: '0' }],
])('%s: 400 for %j, and nothing is stored', async (path, changes) => {
  const tenant = await newTenant();
  const body = {
    name: 'x',
    scope: { type: 'tenant' },
    period: 'day',
    limit: '1',
    action: 'block',
    ...changes,
  };
  const { details } = await expectStatus(400, tenant.call('POST', '/v1/budgets', { body }));
  const paths = details.map((detail: { path: string }) => detail.path);
  expect(paths.some((each: string) => each === path || path.startsWith(`${each}.`))).toBe(true);
  expect((await expectStatus(200, tenant.call('GET', '/v1/budgets'))).data).toEqual([]);
});

test('each member of a budget can be changed alone and with the others, and what is spent stays', async () => {
  const tenant = await newTenant();
  const { id } = await createBudget(tenant, { period: 'total', limit: '5' });
  const flow = await expectStatus(
    201,
    tenant.call('POST', '/v1/flows', { body: { name: 'Some', flowSteps: [] } }),
  );
  const changes = {
    name: 'Other',
    scope: { type: 'flow', id: flow.id },
    period: 'week',
    limit: '3',
    timezone: 'Asia/Tokyo',
    action: 'alert',
    alertAt: [10],
    notify: { emails: ['ada@example.com'] },
  };
  const put = (body: object) => expectStatus(200, tenant.call('PUT', `/v1/budgets/${id}`, { body }));
  for (const [name, value] of Object.entries(changes))
    expect(await put({ [name]: value })).toMatchObject({ [name]: value });
  expect(await put({ ...changes, period: 'hour' })).toMatchObject({
    ...changes,
    period: 'hour',
    remaining: '3',
  });
});

test('what a budget is for belongs to the tenant', async () => {
  const [tenant, other] = await Promise.all([newTenant(), newTenant()]);
  const { id } = await expectStatus(201, other.call('POST', '/v1/flows', { body: { name: 'a flow' } }));
  const body = { name: 'x', scope: { type: 'flow', id }, period: 'day', limit: '1', action: 'block' };
  const { details } = await expectStatus(400, tenant.call('POST', '/v1/budgets', { body }));
  expect(details).toEqual([{ path: 'scope.id', code: 'NOT_FOUND', message: `There is no flow ${id}` }]);
});

test('test keys may read budgets and cannot get the permission to change them', async () => {
  const { key } = await tenantWithKey(['BUDGETS:READ'], { environment: 'test' });
  expect(key).toMatch(/^tv_test_/);
  const tenant = await newTenant();
  const body = { name: 'x', environment: 'test', permissions: ['BUDGETS:WRITE'] };
  await expectStatus(400, tenant.call('POST', '/v1/api-keys', { body }));
});

test('each threshold is told of once, by a signed webhook and email', async () => {
  const tenant = await newTenant();
  const { totalCost } = await expectStatus(200, dispatchSteps(tenant, [askStep('Hello')]));
  const receiverUrl = `${inject('webhooksUrl')}/${randomUUID()}`;
  const { id, notify } = await createBudget(tenant, {
    action: 'alert',
    limit: totalCost,
    alertAt: [50, 100, 250],
    notify: { webhookUrl: receiverUrl },
  });
  expect(notify.secret).toMatch(/^whsec_/);
  expect((await getBudget(tenant, id)).notify).toEqual({ webhookUrl: receiverUrl, emails: [] });
  await expectStatus(200, dispatchSteps(tenant, [askStep('Hello')]));
  await expectStatus(200, dispatchSteps(tenant, [askStep('Hello')]));
  const received = await eventually(async () => {
    const all: ReceivedWebhook[] = await (await fetch(receiverUrl)).json();
    expect(all).toHaveLength(2);
    return all;
  });
  const bodies = received.map(
    ({ body, headers }) =>
      new Webhook(notify.secret).verify(body, headers) as { data: { threshold: number } },
  );
  expect(bodies.toSorted((one, other) => one.data.threshold - other.data.threshold)).toEqual(
    [50, 100].map((threshold) => ({
      type: 'budget.threshold',
      timestamp: expect.any(String),
      data: {
        budgetId: id,
        name: 'A budget',
        threshold,
        spent: totalCost,
        limit: totalCost,
        periodStart: expect.any(String),
      },
    })),
  );
  expect(await getBudget(tenant, id)).toMatchObject({ status: 'alerted', remaining: '0' });
});

test('a tenant has at most 100 budgets, also if they are created at once', async () => {
  const tenant = await newTenant();
  const body = { name: 'One of many', scope: { type: 'tenant' }, period: 'day', limit: '1', action: 'alert' };
  const create = () => tenant.call('POST', '/v1/budgets', { body });
  for (let chunk = 0; chunk < 9; chunk++) {
    await Promise.all(Array.from({ length: 10 }, () => expectStatus(201, create())));
  }
  const last = await Promise.all(Array.from({ length: 20 }, create));
  expect(last.map(({ status }) => status).toSorted()).toEqual([
    ...Array(10).fill(201),
    ...Array(10).fill(409),
  ]);
  expect(last.find(({ status }) => status === 409)?.body).toMatchObject({
    details: [{ code: 'LIMIT_REACHED' }],
  });
  const read = async (query: string) => expectStatus(200, tenant.call('GET', `/v1/budgets?limit=40${query}`));
  const pages = [await read('&includeCount=true')];
  expect(pages[0].pagination).toMatchObject({ totalCount: 100, totalPages: 3, hasPrev: false });
  for (let next = pages[0].pagination.nextCursor; next; next = pages.at(-1).pagination.nextCursor)
    pages.push(await read(`&cursor=${next}`));
  const ids = pages.map(({ data }) => data.map(({ id }: { id: string }) => id));
  expect(ids.map(({ length }) => length)).toEqual([40, 40, 20]);
  expect(ids.flat()).toEqual([...new Set(ids.flat())].toSorted().toReversed());
  const back = await read(`&cursor=${pages[2].pagination.prevCursor}`);
  expect(back.data.map(({ id }: { id: string }) => id)).toEqual(ids[1]);
  expect((await tenant.call('GET', '/v1/budgets?limit=0')).status).toBe(400);
});
