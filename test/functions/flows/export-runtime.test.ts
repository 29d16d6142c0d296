import { afterEach, expect, test, vi } from 'vitest';
import { fakePorts } from '../../shared/execution/engine/engine-world.ts';
import { type EngineEvent, engineEvents } from '../../support/flows/engine-events.ts';
import { createFlow, expectStatus, publishedFlow, template } from '../../support/flows/flows.ts';
import { notFoundBody } from '../../support/stack/errors.ts';
import { newKey } from '../../support/stack/keys.ts';
import { emptyWorld } from '../../support/stack/ports.ts';
import { call, newTenant, type Tenant } from '../../support/stack/stack.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

const exported = ({ call }: Tenant, id: string) =>
  expectStatus(200, call('GET', `/v1/flows/${id}/export-runtime`));

test('exports the draft’s steps until a version is published, then the published ones', async () => {
  const tenant = await newTenant();
  const { id, flowSteps } = await createFlow(tenant, [template('one')], 'Mine');
  const draft = { id, name: 'Mine', description: null, steps: flowSteps };
  expect(await exported(tenant, id)).toEqual(draft);
  await expectStatus(200, tenant.call('POST', `/v1/flows/${id}/publish`));
  const body = { description: 'What it is', flowSteps: [template('two')] };
  await expectStatus(200, tenant.call('PUT', `/v1/flows/${id}`, { body }));
  expect(await exported(tenant, id)).toEqual({ ...draft, description: 'What it is' });
});

test('lists the names of secrets, and leaves all other templates unchanged', async () => {
  const tenant = await newTenant();
  const script = (text: string, name: string) => ({ type: 'transform-data', name, config: { script: text } });
  const { id } = await createFlow(tenant, [
    script("return 'Bearer {{secret:STRIPE_KEY}}!'", 'a secret'),
    {
      type: 'conditional',
      name: 'nested',
      config: { condition: 'true', trueSteps: [script('return "{{ secret:DEEP }}"', 'deep')] },
    },
    {
      type: 'api-call',
      name: 'call',
      config: {
        http: { url: 'https://example.com/{{ path }}' },
        auth: { type: 'bearer', token: '{{ token }}{{- secret:OTHER_1 | upcase -}}' },
      },
    },
    script('return \'{{secrets.key}} {{secrets:KEY}} {{ a | split: "secret:NO" }}\'', 'no secrets'),
  ]);
  const { steps } = await exported(tenant, id);
  expect(steps[0].config.script).toBe("return 'Bearer secret:STRIPE_KEY!'");
  expect(steps[1].config.trueSteps[0].config.script).toBe('return "secret:DEEP"');
  expect(steps[2].config).toMatchObject({
    http: { url: 'https://example.com/{{ path }}' },
    auth: { token: '{{ token }}secret:OTHER_1' },
  });
  expect(steps[3].config.script).toBe(
    'return \'{{secrets.key}} {{secrets:KEY}} {{ a | split: "secret:NO" }}\'',
  );
});

test('an exported flow runs without any table', async () => {
  const tenant = await newTenant();
  const { id } = await publishedFlow(tenant, [
    {
      type: 'prompt',
      name: 'ask',
      config: { model: 'fake', userPrompt: 'Hi {{ who }}', outputVariable: 'said' },
    },
    { type: 'set-variable', name: 'set', config: { variableName: 'tags', value: ['{{ said }}'] } },
    {
      type: 'conditional',
      name: 'branch',
      config: {
        condition: 'tags.length === 1',
        trueSteps: [
          {
            type: 'transform-data',
            name: 'shout',
            config: { script: 'tags[0].toUpperCase()', outputVariable: 'loud' },
          },
        ],
        falseSteps: [template('never')],
      },
    },
    {
      type: 'send-email',
      name: 'mail',
      config: { from: 'a@example.com', to: 'b@example.com', subject: '{{ loud }}', text: 'x' },
    },
    template('{{ loud }}!'),
  ]);
  const { steps } = await exported(tenant, id);
  vi.stubEnv('TABLE_NAME', undefined);
  vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', 'http://127.0.0.1:1');
  const subjects: string[] = [];
  const email = async ({ subject }: { subject: string }) => ({ messageId: String(subjects.push(subject)) });
  const events: EngineEvent[] = [];
  const run = engineEvents({
    steps,
    variables: { who: 'Ada' },
    ports: fakePorts({ messages: { ...emptyWorld.messages, email } }),
    signal: new AbortController().signal,
  });
  for await (const event of run) events.push(event);
  expect(events.at(-1)).toMatchObject({ type: 'run_end', success: true, output: 'ANSWER TO: HI ADA!' });
  expect(subjects).toEqual(['ANSWER TO: HI ADA']);
});

test('400 for a malformed id; 404 for an unknown flow and another tenant’s', async () => {
  const flow = await createFlow(await newTenant());
  const { call } = await newTenant();
  const get = (id: string) => call('GET', `/v1/flows/${id}/export-runtime`);
  expect((await get('7')).status).toBe(400);
  const [theirs, unknown] = [await get(flow.id), await get('flow_00000000000000000000000000')];
  expect([theirs.status, theirs.body]).toEqual([404, notFoundBody('Flow')]);
  expect([unknown.status, unknown.body]).toEqual([404, notFoundBody('Flow')]);
});

test('401 without a credential, 403 without FLOWS:READ', async () => {
  const tenant = await newTenant();
  const { id } = await createFlow(tenant);
  const path = `/v1/flows/${id}/export-runtime`;
  expect((await call('GET', path)).status).toBe(401);
  const { call: reads } = await newKey(tenant, { permissions: ['FLOWS:READ'] });
  const { call: writes } = await newKey(tenant, { permissions: ['FLOWS:WRITE', 'FLOWS:EXECUTE'] });
  expect((await reads('GET', path)).status).toBe(200);
  expect((await writes('GET', path)).status).toBe(403);
});
