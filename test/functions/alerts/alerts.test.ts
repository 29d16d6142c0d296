import { randomUUID } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { expect, inject, test } from 'vitest';
import { alertWatchEntity } from '../../../shared/domain/alerts/alert-store.ts';
import { evaluateAlerts } from '../../../shared/domain/alerts/evaluate-alerts.ts';
import type { Run } from '../../../shared/domain/runs/run.ts';
import { runEntity } from '../../../shared/domain/runs/run.ts';
import type { Scope } from '../../../shared/platform/data/scope.ts';
import type { Write } from '../../../shared/platform/data/writes.ts';
import { findSentMessages } from '../../support/data/outbox.ts';
import { expectStatus, publishedFlow } from '../../support/flows/flows.ts';
import { runRow } from '../../support/flows/run-rows.ts';
import { createSchedule, daily, scheduleSurface } from '../../support/flows/schedules.ts';
import { checkSlackMessage, checkTeamsMessage } from '../../support/servers/chat-webhooks.ts';
import type { ReceivedWebhook } from '../../support/servers/webhook-receiver.ts';
import { eventually } from '../../support/stack/eventually.ts';
import { newKey } from '../../support/stack/keys.ts';
import { byClock, countingRuntime, newTenant, type Tenant } from '../../support/stack/stack.ts';

const minuteMs = 60_000;
const anId = (kind: string) => `${kind}_${'0'.repeat(26)}`;
const approvalStep = { type: 'approval', name: 'ask', config: { question: 'Send it?' } };

const create = (tenant: Pick<Tenant, 'call'>, body: object) =>
  tenant.call('POST', '/v1/alerts', {
    body: { name: 'An alert', metric: 'failures', windowMinutes: 5, ...body },
  });
const created = (tenant: Tenant, body: object) => expectStatus(201, create(tenant, body));
const shown = (tenant: Tenant, id: string) => expectStatus(200, tenant.call('GET', `/v1/alerts/${id}`));
const told = async (tenant: Tenant, id: string): Promise<{ type: string; at: string }[]> =>
  (await expectStatus(200, tenant.call('GET', `/v1/alerts/${id}/history`))).data.toReversed();

/** Leaves the tenant out of the index by which the stack finds whose alerts it evaluates each minute, by its own clock. */
function hideWatch(scope: Scope): Scope {
  const { table } = scope;
  const hide = (write: Write): Write => {
    if (!('Put' in write) || write.Put.Item.SK !== 'WATCH') return write;
    const { PK2: _partition, SK2: _sort, ...Item } = write.Put.Item;
    return { Put: { ...write.Put, Item } };
  };
  const commit = (writes: readonly Write[]) => table.commit(writes.map(hide));
  return { ...scope, table: Object.assign(Object.create(table), { commit }) };
}

/** A tenant whose clock is that of the test alone, at the beginning of a minute hours ago. */
async function timedTenant() {
  const tenant = await newTenant();
  const runtime = countingRuntime();
  const start = Math.floor(Date.now() / 3_600_000) * 3_600_000 - 4 * 3_600_000;
  const at = (minute: number) => new Date(start + minute * minuteMs + 5_000);
  const scopeAt = (minute: number) => hideWatch(byClock(runtime.scopeOf(tenant.tenant), () => at(minute)));
  const put = async (runs: readonly Run[]) => {
    const { table } = runtime.scopeOf(tenant.tenant);
    for (let from = 0; from < runs.length; from += 90)
      await table.commit(runs.slice(from, from + 90).map((run) => table.writes.put(runEntity, run)));
  };
  const evaluate = (minute: number) => evaluateAlerts(scopeAt(minute), at(minute));
  /** Begins with what ended since the start. */
  const begin = async () => {
    const { table } = hideWatch(runtime.scopeOf(tenant.tenant));
    const watch = { version: 0, readTo: new Date(start).toISOString(), open: [], counted: [], standings: {} };
    await table.commit([table.writes.put(alertWatchEntity, watch)]);
  };
  await begin();
  return { tenant, runtime, start, at, put, evaluate, begin };
}

test('an alert is made, shown, changed and deleted; keys need ALERTS, test keys only read', async () => {
  const tenant = await newTenant();
  const { id, ...alert } = await created(tenant, { metric: 'runs', below: 1, scope: { kind: 'flow' } });
  expect(alert).toMatchObject({
    state: 'no-data',
    value: null,
    minRuns: 1,
    enabled: true,
    notify: { emails: [] },
  });
  const change = { above: 5, name: 'Other' };
  const changed = await expectStatus(200, tenant.call('PUT', `/v1/alerts/${id}`, { body: change }));
  expect(changed).toMatchObject({ above: 5, name: 'Other', metric: 'runs' });
  expect(changed).not.toHaveProperty('below');
  for (const body of [{}, { above: 1, below: 2 }, { above: 1, windowMinutes: 4 }, { above: 1, metric: 'x' }])
    expect((await create(tenant, body)).status).toBe(400);
  const key = await newKey(tenant, { permissions: ['ALERTS:READ'], environment: 'test' });
  expect((await key.call('GET', `/v1/alerts/${id}`)).status).toBe(200);
  expect((await create(key, { above: 1 })).status).toBe(403);
  const body = { name: 'k', permissions: ['ALERTS:WRITE'], environment: 'test' };
  expect((await tenant.call('POST', '/v1/api-keys', { body })).status).toBe(400);
  await expectStatus(204, tenant.call('DELETE', `/v1/alerts/${id}`));
  expect((await tenant.call('GET', `/v1/alerts/${id}`)).status).toBe(404);
});

test.each([
  [{ metric: 'failure-rate', above: 5 }, 'above', 'never'],
  [{ metric: 'failure-rate', above: 1 }, 'above', 'never'],
  [{ metric: 'cost', above: -1 }, 'above', 'always'],
  [{ metric: 'runs', below: 0 }, 'below', 'never'],
  [{ metric: 'failure-rate', below: 1.5 }, 'below', 'always'],
  [{ metric: 'waiting', above: 1, scope: { model: 'openai/x' } }, 'scope.model', 'kind, flowId, agentId'],
  [{ metric: 'waiting', above: 1, scope: { kind: 'batch' } }, 'scope.kind', 'flow and agent'],
  [
    { metric: 'cost', above: 1, scope: { flowId: anId('flow'), agentId: anId('agent') } },
    'scope.agentId',
    'or',
  ],
  [
    { metric: 'cost', above: 1, scope: { kind: 'agent', flowId: anId('flow') } },
    'scope.kind',
    'batch and flow',
  ],
  [{ metric: 'cost', above: 1, scope: { kind: 'flow', agentId: anId('agent') } }, 'scope.kind', 'agent'],
  [{ metric: 'cost', above: 1, scope: { model: 'gpt-5-mini' } }, 'scope.model', '<provider>/<modelId>'],
])('an alert that cannot tell anything is refused: %j', async (members, path, message) => {
  const tenant = await newTenant();
  const body = { name: 'Quiet', windowMinutes: 5, ...members };
  const { status, body: refused } = await tenant.call('POST', '/v1/alerts', { body });
  expect(status).toBe(400);
  expect(refused.details).toEqual([
    expect.objectContaining({ path, message: expect.stringContaining(message) }),
  ]);
  const made = await tenant.call('POST', '/v1/alerts', {
    body: { ...body, scope: {}, metric: 'runs', above: 1, below: undefined },
  });
  const change = members;
  const changed = await tenant.call('PUT', `/v1/alerts/${made.body.id}`, { body: change });
  expect(changed.status).toBe(400);
});

test.each(['flowId', 'agentId', 'surfaceId', 'scheduleId'])(
  '400 for a %s that does not exist; an alert whose flow is deleted later goes on',
  async (name) => {
    const tenant = await newTenant();
    const other = await publishedFlow(await newTenant(), [approvalStep]);
    const id = name === 'flowId' ? other.id : `${name.replace('Id', '')}_${'0'.repeat(26)}`;
    const refused = await create(tenant, { above: 1, scope: { [name]: id } });
    expect(refused).toMatchObject({ status: 400, body: { details: [{ path: `scope.${name}` }] } });
    expect(refused.body.details[0].message).toContain(id);
    const flow = await publishedFlow(tenant, [approvalStep]);
    const alert = await created(tenant, { above: 1, scope: { flowId: flow.id } });
    const change = (body: object) => tenant.call('PUT', `/v1/alerts/${alert.id}`, { body });
    expect((await change({ scope: { [name]: id } })).status).toBe(400);
    await expectStatus(204, tenant.call('DELETE', `/v1/flows/${flow.id}`));
    await evaluateAlerts(countingRuntime().scopeOf(tenant.tenant));
    expect(await shown(tenant, alert.id)).toMatchObject({ state: 'no-data', scope: { flowId: flow.id } });
    await expectStatus(200, change({ name: 'Renamed', scope: { flowId: flow.id, kind: 'flow' } }));
  },
);

test('minRuns is refused where a value needs no runs, and forgotten with the metric that had it', async () => {
  const tenant = await newTenant();
  for (const metric of ['runs', 'waiting'])
    expect(await create(tenant, { metric, above: 1, minRuns: 5 })).toMatchObject({
      status: 400,
      body: { details: [{ path: 'minRuns' }] },
    });
  const { id } = await created(tenant, { above: 1, minRuns: 5 });
  const change = (body: object) => tenant.call('PUT', `/v1/alerts/${id}`, { body });
  expect((await change({ metric: 'runs', minRuns: 5 })).status).toBe(400);
  expect(await expectStatus(200, change({ metric: 'runs' }))).toMatchObject({ minRuns: 1 });
  expect((await change({ runs: 3 })).body.details).toMatchObject([{ path: 'runs', code: 'UNKNOWN_MEMBER' }]);
});

test('failures fire, by webhook and email, signed; without them it is resolved', async () => {
  const tenant = await newTenant();
  const webhookUrl = `${inject('webhooksUrl')}/${randomUUID()}`;
  const address = `${tenant.tenant.replace(/\W/g, '')}@example.com`;
  const { id, notify } = await created(tenant, { above: 1, notify: { webhookUrl, emails: [address] } });
  expect(notify.secret).toMatch(/^whsec_/);
  expect((await shown(tenant, id)).notify).toEqual({ webhookUrl, emails: [address] });
  const scope = countingRuntime().scopeOf(tenant.tenant);
  const ago = Date.now() - 2 * minuteMs;
  for (let run = 0; run < 3; run++) {
    const row = runRow({ startedAt: ago, completedAt: ago + 1, status: 'failed' });
    await scope.table.commit([scope.table.writes.put(runEntity, row)]);
  }
  await evaluateAlerts(scope);
  await evaluateAlerts(scope);
  expect(await shown(tenant, id)).toMatchObject({ state: 'firing', value: 3 });
  const received = await eventually(async () => {
    const all: ReceivedWebhook[] = await (await fetch(webhookUrl)).json();
    expect(all).toHaveLength(1);
    return all;
  });
  const [{ body: text, headers } = { body: '', headers: {} }] = received;
  expect(new Webhook(notify.secret).verify(text, headers)).toMatchObject({
    type: 'alert.firing',
    data: { alertId: id, metric: 'failures', value: 3, above: 1, windowMinutes: 5 },
  });
  await eventually(async () => expect(await findSentMessages(address)).toHaveLength(1), 20_000);
  const later = new Date(Date.now() + 8 * minuteMs);
  await evaluateAlerts(
    byClock(scope, () => later),
    later,
  );
  expect(await shown(tenant, id)).toMatchObject({ state: 'no-data', value: null });
  expect((await told(tenant, id)).map(({ type }) => type)).toEqual(['firing', 'resolved']);
});

test('a test message goes to the webhook and each address, also of a disabled alert, and changes nothing', async () => {
  const tenant = await newTenant();
  const webhookUrl = `${inject('webhooksUrl')}/${randomUUID()}`;
  const address = `${tenant.tenant.replace(/\W/g, '')}@example.com`;
  const notify = { webhookUrl, emails: [address] };
  const alert = await created(tenant, { above: 1, enabled: false, notify });
  const send = (key: Pick<Tenant, 'call'>, id: string) => key.call('POST', `/v1/alerts/${id}/test`);
  expect(await expectStatus(202, send(tenant, alert.id))).toEqual({ messages: 2 });
  const [received] = await eventually(async () => {
    const all: ReceivedWebhook[] = await (await fetch(webhookUrl)).json();
    expect(all).toHaveLength(1);
    return all;
  });
  expect(
    new Webhook(alert.notify.secret).verify(received?.body ?? '', received?.headers ?? {}),
  ).toMatchObject({ type: 'alert.test', data: { alertId: alert.id, value: null, above: 1 } });
  await eventually(async () => expect(await findSentMessages(address)).toHaveLength(1), 20_000);
  expect(await told(tenant, alert.id)).toEqual([]);
  expect(await shown(tenant, alert.id)).toMatchObject({ state: 'no-data', updatedAt: alert.updatedAt });
  const silent = await created(tenant, { above: 1 });
  expect((await send(tenant, silent.id)).status).toBe(409);
  const reader = await newKey(tenant, { permissions: ['ALERTS:READ'] });
  expect((await send(reader, alert.id)).status).toBe(403);
  expect((await send(await newTenant(), alert.id)).status).toBe(404);
});

test.each([
  ['slack', checkSlackMessage],
  ['teams', checkTeamsMessage],
] as const)(
  'a webhook of %s gets the message that it takes, with a link to the console',
  async (format, check) => {
    const tenant = await newTenant();
    const webhookUrl = `${inject('webhooksUrl')}/${randomUUID()}?as=${format}`;
    const notify = { webhookUrl, webhookFormat: format };
    const { id } = await created(tenant, { name: 'Refunds <fail>', above: 1, notify });
    expect((await shown(tenant, id)).notify).toEqual({ ...notify, emails: [] });
    await expectStatus(202, tenant.call('POST', `/v1/alerts/${id}/test`));
    const [{ body }] = await eventually(async () => {
      const all: ReceivedWebhook[] = await (await fetch(webhookUrl)).json();
      expect(all).toHaveLength(1);
      return all as [ReceivedWebhook];
    });
    check(body);
    expect(body).toContain('Refunds <fail>');
    expect(body).toContain(`/console#/alerts?alert=${id}`);
    await expectStatus(200, tenant.call('PUT', `/v1/alerts/${id}`, { body: { notify: { emails: [] } } }));
    expect((await shown(tenant, id)).notify).toEqual({ emails: [] });
  },
);

test('real runs count in the minute of their end, and open waits as they are', async () => {
  const tenant = await newTenant();
  const { id } = await created(tenant, { above: 1 });
  const { id: waiting } = await created(tenant, { metric: 'waiting', above: 0, scope: { kind: 'flow' } });
  const failing = { type: 'transform-data', name: 'f', config: { script: 'throw new Error("no")' } };
  for (const step of [failing, failing, approvalStep]) {
    const flow = await publishedFlow(tenant, [step]);
    const body = { flow: { id: flow.id }, options: { streamResponse: false } };
    await expectStatus(200, tenant.call('POST', '/v1/dispatch', { body }));
  }
  const scope = countingRuntime().scopeOf(tenant.tenant);
  const later = new Date(Date.now() + minuteMs);
  await evaluateAlerts(
    byClock(scope, () => later),
    later,
  );
  expect(await shown(tenant, id)).toMatchObject({ state: 'firing', value: 2 });
  expect(await shown(tenant, waiting)).toMatchObject({ state: 'firing', value: 1 });
});

test('a state that flaps within a window is one message; what was held back is told afterwards, if it holds', async () => {
  const { tenant, start, put, evaluate, begin } = await timedTenant();
  const { id } = await created(tenant, { metric: 'runs', above: 0, windowMinutes: 10 });
  const fail = (minute: number) =>
    put([
      runRow({
        startedAt: start + minute * minuteMs,
        completedAt: start + minute * minuteMs + 1,
        status: 'failed',
      }),
    ]);
  await begin();
  await fail(1);
  await evaluate(2);
  // The window of the run is over at 12, and another run follows.
  for (let minute = 3; minute <= 12; minute++) await evaluate(minute);
  await fail(12);
  for (let minute = 13; minute <= 30; minute++) await evaluate(minute);
  const minutes = (await told(tenant, id)).map(
    ({ type, at }) => `${type} ${Math.floor((Date.parse(at) - start) / minuteMs)}`,
  );
  expect(minutes).toEqual(['firing 2', 'resolved 12', 'firing 13', 'resolved 23']);
});

test('a disabled alert that fires is resolved; one for runs that stopped fires without any', async () => {
  const { tenant, evaluate, begin } = await timedTenant();
  const { id } = await created(tenant, { metric: 'runs', below: 1, windowMinutes: 5 });
  await begin();
  await evaluate(10);
  expect(await shown(tenant, id)).toMatchObject({ state: 'firing', value: 0 });
  await expectStatus(200, tenant.call('PUT', `/v1/alerts/${id}`, { body: { enabled: false } }));
  await evaluate(11);
  expect((await told(tenant, id)).map(({ type }) => type)).toEqual(['firing', 'resolved']);
});

test('of two evaluations at once one tells; a tenant without alerts costs nothing', async () => {
  const { tenant, runtime, evaluate, begin } = await timedTenant();
  const { id } = await created(tenant, { metric: 'runs', below: 1 });
  await begin();
  const sent = await Promise.all([evaluate(10), evaluate(10), evaluate(10)]);
  expect(sent.filter((messages) => messages > 0).length).toBeLessThanOrEqual(1);
  expect(await told(tenant, id)).toHaveLength(1);
  await expectStatus(204, tenant.call('DELETE', `/v1/alerts/${id}`));
  await evaluate(11);
  expect(await runtime.scopeOf(tenant.tenant).table.get(alertWatchEntity, {})).toBeUndefined();
});

/** What a run of a seeded world is: a failure in bursts, slow at times, and long at others. */
function seededRuns(start: number, count: number, minutes: number): Run[] {
  let seed = 42;
  const random = () => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return seed / 2_147_483_648;
  };
  return Array.from({ length: count }, () => {
    const minute = random() * minutes;
    const startedAt = Math.floor(start + minute * minuteMs);
    const isBurst = Math.floor(minute / 12) % 3 === 1;
    const durationMs = Math.floor(
      random() < 0.05 ? random() * 40 * minuteMs : random() * (isBurst ? 60_000 : 4_000),
    );
    return runRow({
      startedAt,
      completedAt: startedAt + durationMs,
      kind: random() < 0.5 ? 'flow' : 'agent',
      status: random() < (isBurst ? 0.3 : 0.01) ? 'failed' : 'completed',
      totalCost: (random() / 100).toFixed(6),
      trigger: { type: 'schedule', scheduleId: `schedule_${Math.floor(random() * 3)}` },
    });
  });
}

test('10,000 seeded runs: what was told is what a brute-force evaluation tells, at the same minutes', async () => {
  const { tenant, runtime, start, put, evaluate, begin } = await timedTenant();
  const minutes = 150;
  const runs = seededRuns(start, 10_000, minutes);
  const { path, flowId } = await scheduleSurface(tenant);
  const { id: scheduleId } = await createSchedule(tenant, path, daily(flowId));
  const specs = [
    ...[5, 15, 60, 120].map((windowMinutes) => ({ metric: 'failure-rate', above: 0.1, windowMinutes })),
    ...[5, 10, 30].map((windowMinutes) => ({
      metric: 'failures',
      above: 12 * windowMinutes,
      windowMinutes,
      scope: { kind: 'flow' },
    })),
    ...[5, 20, 45, 90].map((windowMinutes) => ({
      metric: 'cost',
      above: windowMinutes * 0.33,
      windowMinutes,
    })),
    ...[5, 15].map((windowMinutes) => ({
      metric: 'runs',
      below: windowMinutes * 20,
      windowMinutes,
      scope: { scheduleId },
    })),
    ...[5, 7, 9, 11].map((windowMinutes) => ({ metric: 'failures', above: 3, minRuns: 300, windowMinutes })),
    ...[6, 8, 12].map((windowMinutes) => ({ metric: 'runs', above: windowMinutes * 66, windowMinutes })),
  ];
  expect(specs).toHaveLength(20);
  const alerts = [];
  for (const spec of specs) alerts.push(await created(tenant, spec));
  await begin();
  const expected = new Map<string, string[]>(alerts.map(({ id }) => [id, []]));
  const state = new Map(alerts.map(({ id }) => [id, { told: 'resolved', firing: -1e9, resolved: -1e9 }]));
  let units = 0;
  for (let minute = 1; minute <= minutes; minute++) {
    const [from, to] = [start + (minute - 1) * minuteMs, start + minute * minuteMs + 5_000];
    const before = from + 5_000;
    const begunNow = runs.filter(
      ({ startedAt }) => Date.parse(startedAt) > before && Date.parse(startedAt) <= to,
    );
    const endedNow = runs.filter(
      ({ completedAt = '' }) => Date.parse(completedAt) > before && Date.parse(completedAt) <= to,
    );
    const first = minute === 1 ? runs.filter(({ startedAt }) => Date.parse(startedAt) <= before) : [];
    const toOpen = ({ completedAt: _at, totalCost: _cost, ...run }: Run): Run => ({
      ...run,
      status: 'running',
    });
    const ended = new Set(endedNow.map(({ id }) => id));
    const isOver = ({ completedAt = '' }: Run) => Date.parse(completedAt) <= to;
    await put(
      [...begunNow, ...first]
        .filter(({ id }) => !ended.has(id))
        .map((run) => (isOver(run) ? run : toOpen(run))),
    );
    await put(endedNow);
    runtime.reset();
    await evaluate(minute);
    units = Math.max(units, minute > 100 ? runtime.consumed.capacityUnits : 0);
    for (const alert of alerts) {
      const known = state.get(alert.id) as { told: string; firing: number; resolved: number };
      const lower = start + (minute - alert.windowMinutes) * minuteMs;
      const inWindow = runs.filter(({ completedAt = '', kind, trigger }) => {
        const at = Date.parse(completedAt);
        const { scope = {} } = alert;
        return (
          at >= lower &&
          at < start + minute * minuteMs &&
          (scope.kind === undefined || scope.kind === kind) &&
          (scope.scheduleId === undefined || scope.scheduleId === trigger.scheduleId)
        );
      });
      const failed = inWindow.filter(({ status }) => status === 'failed').length;
      const values: Record<string, number> = {
        runs: inWindow.length,
        failures: failed,
        'failure-rate': failed / inWindow.length,
        cost: inWindow.reduce((sum, { totalCost }) => sum + Math.round(Number(totalCost) * 1e6), 0) / 1e6,
      };
      const value = values[alert.metric] ?? 0;
      const hasData = alert.metric === 'runs' || inWindow.length >= alert.minRuns;
      const isFiring = hasData && (alert.above !== undefined ? value > alert.above : value < alert.below);
      const due = isFiring ? 'firing' : 'resolved';
      if (due === known.told || minute - known[due] < alert.windowMinutes) continue;
      Object.assign(known, { told: due, [due]: minute });
      expected.get(alert.id)?.push(`${due} ${minute}`);
    }
  }
  let messages = 0;
  for (const { id, name, metric } of alerts) {
    const found = (await told(tenant, id)).map(
      ({ type, at }) => `${type} ${Math.floor((Date.parse(at) - start) / minuteMs)}`,
    );
    messages += found.length;
    expect([name, metric, found]).toEqual([name, metric, expected.get(id)]);
  }
  expect(messages).toBeGreaterThan(20);
  // Of the rows that began in the last four minutes, the minutes of two hours, and what is written.
  expect(units).toBeLessThan(300);
}, 240_000);
