import { expect, test } from 'vitest';
import { deliveryEntity } from '../../../shared/domain/deliveries/delivery.ts';
import { expectStatus } from '../../support/flows/flows.ts';
import { notFoundBody } from '../../support/stack/errors.ts';
import { eventually } from '../../support/stack/eventually.ts';
import { countingRuntime, newTenant } from '../../support/stack/stack.ts';
import { settled, verified, webhookSurface } from '../../support/surfaces/deliveries.ts';

const unknown = 'delivery_01k9m4v7d3x8qz5w2r6t0y1hbn';

/** A surface with a delivery that the receiver answered so. */
async function delivered(answers?: string) {
  const world = await webhookSurface(answers ? { answers } : {});
  await expectStatus(200, world.run());
  await world.got();
  const [delivery] = await eventually(async () => {
    const { data } = await world.list();
    expect(data[0]?.attempts).toHaveLength(1);
    return data;
  });
  const resend = (id: string = delivery.id) =>
    world.tenant.call('POST', `${world.path}/deliveries/${id}/resend`);
  return { ...world, delivery, resend };
}

test('a delivery that arrived is sent again with the same id and body', async () => {
  const { delivery, resend, got, secret, list } = await delivered();
  expect(await expectStatus(202, resend())).toMatchObject({ id: delivery.id, status: 'pending' });
  const [first, second] = await got(2);
  if (!first || !second) throw new Error('Nothing came');
  expect(second.headers['webhook-id']).toBe(first.headers['webhook-id']);
  expect(second.body).toBe(first.body);
  verified(secret, second);
  const [{ attempts }] = await settled({ list });
  expect(attempts).toHaveLength(2);
});

test('a delivery that the receiver refused with 410 is given up, until it is sent again', async () => {
  const { delivery, resend, list } = await delivered('410,200');
  expect(delivery).toMatchObject({
    status: 'failed',
    nextAttemptAt: null,
    attempts: [{ statusCode: 410, error: 'The receiver answered 410' }],
  });
  await expectStatus(202, resend());
  const [{ status, attempts }] = await settled({ list });
  expect(status).toBe('delivered');
  expect(attempts.map(({ statusCode }: { statusCode: number }) => statusCode)).toEqual([410, 200]);
});

test('one that is pending is sent at once; the URL is the one that the surface has now', async () => {
  const { tenant, path, receiverUrl, resend, list } = await delivered('500,500,200');
  const [{ nextAttemptAt, status }] = (await list()).data;
  expect(status).toBe('pending');
  const pauseMs = Date.parse(nextAttemptAt) - Date.now();
  expect(pauseMs).toBeGreaterThan(0);
  expect(pauseMs).toBeLessThanOrEqual(30_000);
  const webhook = { url: `${receiverUrl}/other` };
  await expectStatus(200, tenant.call('PUT', path, { body: { outbound: { webhook } } }));
  await expectStatus(202, resend());
  const [delivery] = await settled({ list });
  expect(delivery).toMatchObject({ status: 'delivered' });
  expect(await (await fetch(`${receiverUrl}/other`)).json()).toHaveLength(1);
});

test('409 while an attempt is in progress', async () => {
  const { delivery, resend, place, tenant, list } = await delivered();
  const { table } = countingRuntime().scopeOf(tenant.tenant);
  const lease = (leaseUntil: string) =>
    table.commit([
      table.writes.update(deliveryEntity, { ...place, id: delivery.id }, { set: { leaseUntil } }),
    ]);
  await lease(new Date(Date.now() + 60_000).toISOString());
  const { details } = await expectStatus(409, resend());
  expect(details[0].message).toContain('in progress');
  expect((await list()).data[0].status).toBe('delivered');
  await lease(new Date(Date.now() - 1).toISOString());
  await expectStatus(202, resend());
});

test('pages, newest first, and a filter by status', async () => {
  const world = await webhookSurface({ answers: '200,410,200' });
  for (const count of [1, 2, 3]) {
    await expectStatus(200, world.run());
    await settled(world, count);
  }
  const first = await world.list('?limit=2');
  const second = await world.list(`?limit=2&cursor=${first.pagination.nextCursor}`);
  const ids = [...first.data, ...second.data].map(({ id }: { id: string }) => id);
  expect(ids).toHaveLength(3);
  expect(ids).toEqual(ids.toSorted().toReversed());
  expect((await world.list('?status=failed')).data).toMatchObject([{ id: ids[1] }]);
  expect((await world.list('?status=pending')).data).toEqual([]);
  const { tenant, path } = world;
  await expectStatus(400, tenant.call('GET', `${path}/deliveries?status=lost`));
  await expectStatus(400, tenant.call('GET', `${path}/deliveries?limit=0`));
});

test('404 for an unknown surface or delivery, and for those of other tenants', async () => {
  const { resend, path, delivery } = await delivered();
  expect(await expectStatus(404, resend(unknown))).toEqual(notFoundBody('Delivery'));
  await expectStatus(400, resend('nonsense'));
  const stranger = await newTenant();
  const resent = `${path}/deliveries/${delivery.id}/resend`;
  expect(await expectStatus(404, stranger.call('GET', `${path}/deliveries`))).toEqual(
    notFoundBody('Surface'),
  );
  expect(await expectStatus(404, stranger.call('POST', resent))).toEqual(notFoundBody('Surface'));
});

test('403 without the permission', async () => {
  const { path, delivery, tenant } = await delivered();
  const { userId } = tenant;
  const reader = await newTenant({ userId, permissions: ['PRODUCTS:READ'] });
  await expectStatus(200, reader.call('GET', `${path}/deliveries`));
  await expectStatus(403, reader.call('POST', `${path}/deliveries/${delivery.id}/resend`));
  const other = await newTenant({ userId, permissions: ['FLOWS:READ'] });
  await expectStatus(403, other.call('GET', `${path}/deliveries`));
});

test('deleting the surface deletes its deliveries', async () => {
  const { tenant, path, place, delivery } = await delivered();
  await expectStatus(200, tenant.call('DELETE', path));
  expect((await tenant.call('GET', `${path}/deliveries`)).status).toBe(404);
  const { table } = countingRuntime().scopeOf(tenant.tenant);
  await eventually(async () =>
    expect(await table.get(deliveryEntity, { ...place, id: delivery.id })).toBeUndefined(),
  );
});

test('no response shows the signing secret', async () => {
  const { secret, tenant, path, resend } = await delivered();
  expect(secret).toMatch(/^whsec_/);
  const answers = [
    await tenant.call('GET', `${path}/deliveries`),
    await resend(),
    await tenant.call('GET', path),
  ];
  for (const { body } of answers) expect(JSON.stringify(body)).not.toContain(secret.slice(6));
});
