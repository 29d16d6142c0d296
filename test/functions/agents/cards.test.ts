import { expect, test, vi } from 'vitest';
import { fetchCardOfAgent } from '../../../functions/agents/fetch-agent-card.ts';
import { refreshAgentCard } from '../../../functions/agents/refresh-agent-card.ts';
import { refreshDueCards } from '../../../shared/domain/agents/agent-cards.ts';
import { cardScheduleEntity } from '../../../shared/domain/agents/card-schedule.ts';
import { toLambda } from '../../../shared/platform/http/lambda/lambda.ts';
import { productionRuntime } from '../../../shared/platform/runtime.ts';
import { createAgent, publishAgent, updateAgent } from '../../support/agents/agents.ts';
import { expectStatus } from '../../support/flows/flows.ts';
import { jsonWebAnswer, type WebAnswer, web } from '../../support/servers/web.ts';
import { notFoundBody } from '../../support/stack/errors.ts';
import { invokeWith } from '../../support/stack/invoke.ts';
import { tenantPrincipal } from '../../support/stack/principals.ts';
import { newTenant, type Tenant } from '../../support/stack/stack.ts';

const skill = (id: string) => ({ id, name: `Skill ${id}`, description: `Does ${id}`, tags: [] });
const cardWith = (...ids: string[]) => ({ name: 'Guide', version: '1', skills: ids.map(skill) });

/** Requests in this process, which may reach the test's servers. */
async function invoke(
  tenant: Tenant,
  endpoint: typeof refreshAgentCard | typeof fetchCardOfAgent,
  event: object,
) {
  const handler = toLambda(endpoint as typeof refreshAgentCard);
  const headers = { 'content-type': 'application/json' };
  const { statusCode, body } = await invokeWith(handler, tenantPrincipal(tenant))({ headers, ...event });
  return { status: statusCode, body: JSON.parse(body) };
}
const fetchCard = (tenant: Tenant, url: string) =>
  invoke(tenant, fetchCardOfAgent, { body: JSON.stringify({ url }) });
const refresh = (tenant: Tenant, id: string) =>
  invoke(tenant, refreshAgentCard, { pathParameters: { id }, body: '{}' });

const external = (tenant: Tenant, externalConfig: object) =>
  createAgent(tenant, { agentType: 'external', externalConfig });

test('fetch-agent-card returns the card', async () => {
  const { url } = await web(() => jsonWebAnswer({ ...cardWith('a'), other: 1 }));
  const tenant = await newTenant({ permissions: ['RECORDS:READ'] });
  expect(await fetchCard(tenant, `${url}/card.json`)).toEqual({
    status: 200,
    body: { ...cardWith('a'), other: 1 },
  });
});

const answers: [what: string, answer: WebAnswer, status: number, text: string][] = [
  ['no JSON', { body: 'hello' }, 400, 'did not answer with a JSON object'],
  ['404', { status: 404 }, 502, 'answered 404'],
  ['500', { status: 500 }, 502, 'answered 500'],
  ['too much', jsonWebAnswer('x'.repeat(1_500_000)), 502, 'more than 1000000 bytes'],
  [
    'a redirect inside',
    { status: 302, headers: { location: 'http://10.0.0.1/' } },
    400,
    '10.0.0.1 is not a public',
  ],
];

test.each(answers)(
  'both operations report a server that answers with %s',
  async (_what, answer, status, text) => {
    const { url } = await web(() => answer);
    const tenant = await newTenant();
    const fetched = await fetchCard(tenant, `${url}/card.json`);
    expect(fetched.status).toBe(status);
    expect(JSON.stringify(fetched.body)).toContain(text);
    const { id } = await external(tenant, { agentCardUrl: `${url}/card.json` });
    const refreshed = await refresh(tenant, id);
    expect(refreshed.status).toBe(status);
    expect(JSON.stringify(refreshed.body)).toContain(text);
    const shown = await expectStatus(200, tenant.call('GET', `/v1/agents/${id}`));
    expect(shown).toMatchObject({ healthStatus: 'unhealthy', lastHealthCheckAt: expect.any(String) });
  },
);

test('an unreachable server is a 502 in both operations', async () => {
  const { host } = await web(() => undefined);
  vi.stubEnv('ALLOWED_HOSTS', `${process.env.ALLOWED_HOSTS},127.0.0.1:9991`);
  expect(host).toBeTruthy();
  const tenant = await newTenant();
  const url = 'http://127.0.0.1:9991/card.json';
  expect(await fetchCard(tenant, url)).toMatchObject({
    status: 502,
    body: { details: [{ code: 'UPSTREAM_FAILED', message: `${url} cannot be reached: ECONNREFUSED` }] },
  });
  const { id } = await external(tenant, { endpoint: url });
  expect((await refresh(tenant, id)).status).toBe(502);
});

test.each([{}, { url: 5 }, { url: 'no' }, { url: 'https://a.example', more: 1 }])(
  'fetch-agent-card rejects %j',
  async (body) => {
    const { call } = await newTenant();
    await expectStatus(400, call('POST', '/v1/agents/fetch-agent-card', { body }));
  },
);

test('a refresh reports all skills first, then the differences, and gives new skills a role', async () => {
  let card = cardWith('a');
  const { url, asked } = await web(() => jsonWebAnswer(card));
  const tenant = await newTenant();
  const auth = { type: 'bearer', credentials: 'the-credentials-of-it' };
  const created = await external(tenant, { endpoint: `${url}/a2a`, auth });
  const { id } = created;
  const first = await refresh(tenant, id);
  const { healthStatus: _h, lastHealthCheckAt: _l, publishedVersionId: _p, ...rest } = created;
  const { draftVersionId: _d, capabilities: _c, dashboardUrl: _u, ...same } = rest;
  expect(first).toEqual({
    status: 200,
    body: {
      ...same,
      updatedAt: expect.any(String),
      externalConfig: {
        ...created.externalConfig,
        cachedAgentCard: {
          name: 'Guide',
          version: '1',
          fetchedAt: expect.any(String),
          capabilities: {},
          skills: [{ id: 'a', name: 'Skill a', description: 'Does a' }],
        },
        skillsOverride: [{ id: 'a', enabled: true, role: 'standalone', isNew: true }],
      },
      changeReport: {
        skillsAdded: ['a'],
        skillsRemoved: [],
        rolesAutoApplied: ['a'],
        lastRefresh: first.body.externalConfig.cachedAgentCard.fetchedAt,
      },
    },
  });
  expect(asked.flatMap(({ headers }) => headers.authorization ?? [])).toEqual([]);

  const skillsOverride = [
    { id: 'a', enabled: false, role: 'hidden' },
    { id: 'c', enabled: true, role: 'standalone' },
  ];
  await updateAgent(tenant, id, { externalConfig: { skillsOverride } });
  card = cardWith('b', 'c', 'b');
  const { body } = await refresh(tenant, id);
  expect(body.changeReport).toMatchObject({
    skillsAdded: ['b', 'c'],
    skillsRemoved: ['a'],
    rolesAutoApplied: ['b'],
  });
  expect(body.externalConfig.skillsOverride).toEqual([
    { id: 'c', enabled: true, role: 'standalone' },
    { id: 'b', enabled: true, role: 'tool', isNew: true },
  ]);
  const shown = await expectStatus(200, tenant.call('GET', `/v1/agents/${id}`));
  expect(shown).toMatchObject({ healthStatus: 'healthy', externalConfig: body.externalConfig });
  const again = await refresh(tenant, id);
  expect(again.body.changeReport).toMatchObject({ skillsAdded: [], skillsRemoved: [], rolesAutoApplied: [] });
});

test('a refresh creates no draft', async () => {
  const { url } = await web(() => jsonWebAnswer(cardWith('a')));
  const tenant = await newTenant();
  const { id } = await external(tenant, { endpoint: url });
  const published = await publishAgent(tenant, id);
  await refresh(tenant, id);
  const versions = await expectStatus(200, tenant.call('GET', `/v1/agent-versions/${id}`));
  expect(versions).toMatchObject({ publishedVersionId: published, draftVersionId: null });
});

test('a card with too much is stored in part', async () => {
  const skills = Array.from({ length: 900 }, (_, n) => ({ ...skill(`s${n}`), description: 'x'.repeat(900) }));
  const { url } = await web(() => jsonWebAnswer({ ...cardWith(), description: 'y'.repeat(9_000), skills }));
  const tenant = await newTenant();
  const { id } = await external(tenant, { endpoint: url });
  const { status, body } = await refresh(tenant, id);
  expect(status).toBe(200);
  const { cachedAgentCard } = body.externalConfig;
  expect(cachedAgentCard.description).toHaveLength(2_000);
  expect(cachedAgentCard.skills.length).toBeGreaterThan(50);
  expect(cachedAgentCard.skills.length).toBeLessThan(200);
});

test('refresh: 400 for an agent that is not external, 403, 404', async () => {
  const tenant = await newTenant();
  const { id } = await createAgent(tenant);
  const path = (of: string) => `/v1/agents/${of}/refresh-agent-card`;
  const refused = await expectStatus(400, tenant.call('POST', path(id), { body: {} }));
  expect(refused.details[0].message).toContain('Only an external agent');
  const unknown = `agent_${'0'.repeat(26)}`;
  expect(await expectStatus(404, tenant.call('POST', path(unknown), { body: {} }))).toEqual(
    notFoundBody('Agent'),
  );
  await expectStatus(400, tenant.call('POST', path('nonsense'), { body: {} }));
  const reader = await newTenant({ permissions: ['AGENTS:READ'] });
  await expectStatus(403, reader.call('POST', path(id), { body: {} }));
});

const minutes = (count: number) => new Date(Date.now() + count * 60_000);
const scheduleOf = (tenant: Tenant, id: string) =>
  productionRuntime().scopeOf(tenant.tenant).table.get(cardScheduleEntity, { id }, { consistent: true });

test('the sweep refreshes due cards on their interval, and backs off from failures', async () => {
  let down = false;
  const { url, asked } = await web(() => (down ? { status: 500 } : jsonWebAnswer(cardWith('a'))));
  const tenant = await newTenant();
  const { id } = await external(tenant, { endpoint: `${url}/card.json`, refreshIntervalMinutes: 60 });
  const sweepAt = (at: Date) => refreshDueCards(productionRuntime(), at);
  await sweepAt(minutes(50));
  expect(asked).toEqual([]);
  await sweepAt(minutes(61));
  expect(asked).toHaveLength(1);
  const shown = await expectStatus(200, tenant.call('GET', `/v1/agents/${id}`));
  expect(shown.externalConfig.cachedAgentCard.skills).toHaveLength(1);
  await sweepAt(minutes(100));
  expect(asked).toHaveLength(1);
  down = true;
  await sweepAt(minutes(122));
  expect(asked).toHaveLength(2);
  expect(await scheduleOf(tenant, id)).toMatchObject({ failures: 1 });
  await sweepAt(minutes(190));
  expect(asked).toHaveLength(2);
  await sweepAt(minutes(243));
  expect(await scheduleOf(tenant, id)).toMatchObject({ failures: 2 });
  for (let days = 1; days < 20; days++) await sweepAt(minutes(days * 1_440 + 300));
  const { dueAt = '' } = (await scheduleOf(tenant, id)) ?? {};
  expect(new Date(dueAt).getTime() - minutes(19 * 1_440 + 300).getTime()).toBeLessThanOrEqual(1_440 * 60_000);
  down = false;
  await sweepAt(minutes(30 * 1_440));
  expect(await scheduleOf(tenant, id)).toMatchObject({ failures: 0 });
});

test('two sweeps at once refresh a card once', async () => {
  const { url, asked } = await web(() => jsonWebAnswer(cardWith('a')));
  const tenant = await newTenant();
  await external(tenant, { endpoint: `${url}/card.json`, refreshIntervalMinutes: 60 });
  await Promise.all([1, 2, 3].map(() => refreshDueCards(productionRuntime(), minutes(61))));
  expect(asked).toHaveLength(1);
});

test('the schedule follows the config of the agent', async () => {
  const tenant = await newTenant();
  const { id } = await external(tenant, { endpoint: 'https://agent.example' });
  expect(await scheduleOf(tenant, id)).toBeUndefined();
  await updateAgent(tenant, id, { externalConfig: { refreshIntervalMinutes: 30 } });
  const { dueAt = '' } = (await scheduleOf(tenant, id)) ?? {};
  expect(Math.abs(Date.parse(dueAt) - minutes(30).getTime())).toBeLessThan(60_000);
  await updateAgent(tenant, id, { name: 'Other' });
  expect((await scheduleOf(tenant, id))?.dueAt).toBe(dueAt);
  await updateAgent(tenant, id, { agentType: 'native' });
  expect(await scheduleOf(tenant, id)).toBeUndefined();
  await updateAgent(tenant, id, { agentType: 'external' });
  expect(await scheduleOf(tenant, id)).toBeDefined();
  await expectStatus(200, tenant.call('DELETE', `/v1/agents/${id}`, { body: {} }));
  expect(await scheduleOf(tenant, id)).toBeUndefined();
});
