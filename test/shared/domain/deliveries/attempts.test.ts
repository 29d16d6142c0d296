import { expect, onTestFinished, test, vi } from 'vitest';
import { newId } from '../../../../shared/core/ids.ts';
import { alertAttempt } from '../../../../shared/domain/alerts/alert-messages.ts';
import { thresholdAttempt } from '../../../../shared/domain/budgets/thresholds.ts';
import { deliveryEntity, deliveryOutbox } from '../../../../shared/domain/deliveries/delivery.ts';
import type { DeliveryMessage } from '../../../../shared/domain/deliveries/outbox-messages.ts';
import { sweepOutbox } from '../../../../shared/domain/deliveries/outbox-worker.ts';
import { deliverer } from '../../../../shared/domain/deliveries/tenant-deliveries.ts';
import { approvalAttempt } from '../../../../shared/domain/run-waits/approval-attempt.ts';
import { messageGroup } from '../../../../shared/platform/aws/queues.ts';
import { readTenant } from '../../../../shared/platform/data/keys.ts';
import type { Scope } from '../../../../shared/platform/data/scope.ts';
import { taskRequests } from '../../../../shared/protocols/a2a/task-view.ts';
import { silentQueue } from '../../../support/data/silent-queue.ts';
import { expectStatus } from '../../../support/flows/flows.ts';
import { allowHost, loopback } from '../../../support/servers/loopback.ts';
import { countingRuntime } from '../../../support/stack/stack.ts';
import { storedDelivery, webhookSurface } from '../../../support/surfaces/deliveries.ts';

const year = 365 * 86_400_000;

/** A delivery that nothing but this test attempts: its clock is a year ahead of the sweep of the stack. */
async function delivery(answer: (n: number) => number | 'hang' | 'close') {
  const requests: { headers: Record<string, unknown>; url: string | undefined }[] = [];
  const { url, host } = await loopback((request, response) => {
    requests.push({ headers: request.headers, url: request.url });
    const status = answer(requests.length);
    if (status === 'close') response.destroy();
    else if (status !== 'hang') response.writeHead(status).end('a body');
  });
  allowHost(host);
  const sent = await silentQueue<DeliveryMessage>('DELIVERIES_QUEUE_URL');
  const world = await webhookSurface({ webhook: { url } });
  const clock = { at: Date.now() + year };
  const base = countingRuntime().scopeOf(world.tenant.tenant);
  const scope: Scope = { ...base, now: () => new Date(clock.at) };
  const { key, notice } = await storedDelivery(scope, world.place);
  return {
    ...world,
    key,
    scope,
    clock,
    sent,
    requests,
    notice,
    url,
    attempt: () =>
      deliverer(scope, {
        taskRequestOf: taskRequests(scope),
        thresholdAttempt: thresholdAttempt(scope),
        approvalAttempt: approvalAttempt(scope),
        alertAttempt: alertAttempt(scope),
      })(key),
    current: () => scope.table.get(deliveryEntity, key, { consistent: true }),
    sweep: () => sweepOwn(scope, world.tenant.tenant),
  };
}

/** Time limits of deliveries pass five times faster. */
function fastTimeouts() {
  const timeout = AbortSignal.timeout.bind(AbortSignal);
  const isOfDelivery = (ms: number) => ms === 15_000 || ms === 5_000;
  const spy = vi.spyOn(AbortSignal, 'timeout');
  spy.mockImplementation((ms) => timeout(isOfDelivery(ms) ? ms / 5 : ms));
  onTestFinished(() => spy.mockRestore());
}

/** Sweeps this tenant's deliveries only: other tests have their own. */
async function sweepOwn(scope: Scope, tenant: string): Promise<void> {
  const { table } = countingRuntime().scopeOf('');
  async function* pages(range: Parameters<typeof table.pages>[0]) {
    for await (const items of table.pages(range)) {
      yield items.filter((item) => readTenant(item) === tenant);
    }
  }
  const everybody = { ...scope, table: { ...table, pages } };
  const scopeOf = (name: string) => (name === '' ? everybody : scope);
  await sweepOutbox({ scopeOf }, deliveryOutbox, scope.now(), () => 60_000);
}

const minutes = (count: number) => count * 60_000;

test('an attempt that fails is repeated after pauses that grow, for a day, and then given up', async () => {
  const { attempt, current, clock, sent, requests, key, scope } = await delivery(() => 503);
  const begun = clock.at;
  const pauses: number[] = [];
  for (let tries = 0; tries < 20; tries++) {
    await attempt();
    const nextAttemptAt = (await current())?.nextAttemptAt;
    if (!nextAttemptAt) break;
    pauses.push(Date.parse(nextAttemptAt) - clock.at);
    clock.at = Date.parse(nextAttemptAt) - 2_000;
    await attempt();
    clock.at = Date.parse(nextAttemptAt);
  }
  expect(pauses[0]).toBe(30_000);
  expect(pauses).toEqual(pauses.toSorted((one, other) => one - other));
  const lasted = clock.at - begun;
  expect(lasted).toBeGreaterThan(minutes(23 * 60));
  expect(lasted).toBeLessThanOrEqual(minutes(24 * 60));
  // Attempts before their time do nothing.
  expect(requests).toHaveLength(pauses.length + 1);
  expect(new Set(requests.map(({ headers }) => headers['webhook-id']))).toEqual(new Set([key.id]));
  expect(await current()).toMatchObject({ status: 'failed', nextAttemptAt: null, tries: pauses.length + 1 });
  const attempts = (await current())?.attempts ?? [];
  expect(attempts).toHaveLength(pauses.length + 1);
  expect(attempts.at(-1)).toMatchObject({ statusCode: 503, error: 'The receiver answered 503' });
  // SQS delays by 15 minutes at most; the sweep does the rest.
  expect(sent.map(({ delaySeconds }) => delaySeconds)).toEqual([30, 120, 600]);
  expect(sent[0]).toMatchObject({
    group: messageGroup(scope.table.tenant),
    body: { surfaceId: key.surfaceId, id: key.id },
  });
});

test('after a failure, a receiver that takes it is the end', async () => {
  const { attempt, current, clock } = await delivery((n) => (n < 3 ? 500 : 200));
  for (let tries = 0; tries < 3; tries++) {
    await attempt();
    clock.at += minutes(3);
  }
  expect(await current()).toMatchObject({ status: 'delivered', nextAttemptAt: null });
  expect((await current())?.attempts.map(({ statusCode }) => statusCode)).toEqual([500, 500, 200]);
  await attempt();
  expect((await current())?.attempts).toHaveLength(3);
});

test.each([
  ['that closes the connection', 'close', /cannot be (reached|fetched)/],
  ['that does not answer in time', 'hang', /did not answer within 15000 ms/],
] as const)(
  'a receiver %s is tried again',
  async (_what, answer, error) => {
    fastTimeouts();
    const { attempt, current } = await delivery(() => answer);
    await attempt();
    expect(await current()).toMatchObject({
      status: 'pending',
      attempts: [{ statusCode: null, error: expect.stringMatching(error) }],
    });
  },
  30_000,
);

test('an origin that did not answer in time gets less of it for ten minutes, or until it answers', async () => {
  fastTimeouts();
  const { attempt, current, clock } = await delivery((n) => (n === 3 ? 503 : 'hang'));
  const errors: (string | null | undefined)[] = [];
  for (let tries = 0; tries < 4; tries++) {
    await attempt();
    const latest = await current();
    errors.push(latest?.attempts.at(-1)?.error?.replace(/^.*(within)/, '$1'));
    clock.at = Date.parse(latest?.nextAttemptAt ?? '');
  }
  const usual = 'within 15000 ms';
  expect(errors).toEqual([usual, 'within 5000 ms', 'The receiver answered 503', usual]);
}, 60_000);

test('five messages at once are one request', async () => {
  const { attempt, requests, current } = await delivery(() => 200);
  await Promise.all(Array.from({ length: 5 }, attempt));
  expect(requests).toHaveLength(1);
  expect(await current()).toMatchObject({ status: 'delivered', tries: 1 });
});

test('a process that dies during an attempt holds the delivery for a minute', async () => {
  const { scope, attempt, clock, requests, current, key } = await delivery(() => 200);
  const { table } = scope;
  const leaseUntil = new Date(clock.at + 60_000).toISOString();
  await table.commit([table.writes.update(deliveryEntity, key, { set: { leaseUntil } })]);
  await attempt();
  expect(requests).toHaveLength(0);
  clock.at += 61_000;
  await attempt();
  expect(requests).toHaveLength(1);
  expect(await current()).toMatchObject({ status: 'delivered' });
  expect((await current())?.leaseUntil).toBeUndefined();
});

test('a delivery whose message was lost gets one from the sweep, once in ten minutes', async () => {
  const { sweep, clock, sent, key, current } = await delivery(() => 200);
  const ofThis = () => sent.filter(({ body }) => body.id === key.id);
  await sweep();
  expect(ofThis()).toEqual([]);
  clock.at += minutes(1) + 1;
  await sweep();
  await sweep();
  expect(ofThis()).toHaveLength(1);
  clock.at += minutes(10) + 1;
  await sweep();
  expect(ofThis()).toHaveLength(2);
  expect(await current()).toMatchObject({ status: 'pending' });
});

test('the sweep sends the message of a long pause at its time', async () => {
  const { sweep, clock, sent, key, attempt, current } = await delivery(() => 500);
  for (const pause of [0.5, 2, 10]) {
    await attempt();
    clock.at += minutes(pause);
  }
  await attempt();
  const before = sent.length;
  clock.at += minutes(30) - 1;
  await sweep();
  expect(sent).toHaveLength(before);
  clock.at += 1;
  await sweep();
  expect(sent.slice(before)).toMatchObject([{ body: { id: key.id } }]);
  await attempt();
  expect((await current())?.attempts).toHaveLength(5);
});

test('a message that cannot be sent does not fail the end of a run', async () => {
  const { notice } = await delivery(() => 200);
  vi.stubEnv('DELIVERIES_QUEUE_URL', 'http://127.0.0.1:1/none');
  onTestFinished(() => void vi.unstubAllEnvs());
  await notice.send();
}, 30_000);

test('a delivery of a deleted surface is removed, and nothing is sent', async () => {
  const { tenant, path, attempt, current, requests } = await delivery(() => 200);
  await expectStatus(200, tenant.call('DELETE', path));
  await attempt();
  expect(requests).toEqual([]);
  expect(await current()).toBeUndefined();
});

test('a delivery of a surface that has no webhook any more fails', async () => {
  const { tenant, path, attempt, current, requests } = await delivery(() => 200);
  await expectStatus(200, tenant.call('PUT', path, { body: { outbound: {} } }));
  await attempt();
  expect(requests).toEqual([]);
  expect(await current()).toMatchObject({
    status: 'failed',
    attempts: [{ error: 'The surface has no webhook' }],
  });
});

test('a referenced secret without a value, or one that is no key, is said and tried again', async () => {
  const { tenant, path, url, attempt, current, clock, requests } = await delivery(() => 200);
  const KEY = `SIGN_${newId('key').slice(4, 20).toUpperCase()}`;
  const webhook = { url, secret: `{{secret:${KEY}}}` };
  await expectStatus(200, tenant.call('PUT', path, { body: { outbound: { webhook } } }));
  await attempt();
  const errors = async () => (await current())?.attempts.map(({ error }) => error);
  expect(await errors()).toEqual(['The signing secret has no value']);
  const body = { key: KEY, value: 'not base64 at all!' };
  await expectStatus(201, tenant.call('POST', '/v1/secrets', { body }));
  clock.at += minutes(1);
  await attempt();
  expect((await errors())?.at(-1)).toBe('The signing secret is not `whsec_` and Base64');
  expect(requests).toEqual([]);
});
