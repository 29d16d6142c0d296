import { createHmac, randomUUID } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { expectStatus, publishedFlow, template } from '../../support/flows/flows.ts';
import {
  deliveries,
  hookSecret,
  sendWebhook,
  signatureSettings,
  webhookWorld,
} from '../../support/servers/webhooks.ts';
import { eventually } from '../../support/stack/eventually.ts';
import { stack, type Tenant } from '../../support/stack/stack.ts';
import { addCapability, addItem } from '../../support/surfaces/products.ts';

const form = { 'content-type': 'application/x-www-form-urlencoded' };
const hmac = (text: string) => createHmac('sha256', hookSecret).update(text).digest('hex');

const asGithub = (body: string, headers = form) => ({
  body,
  headers: {
    ...headers,
    'x-hub-signature-256': `sha256=${hmac(body)}`,
    'x-github-delivery': randomUUID(),
    'x-github-event': 'push',
  },
});

function asSlack(body: string) {
  const at = String(Math.floor(Date.now() / 1_000));
  const signature = `v0=${hmac(`v0:${at}:${body}`)}`;
  return { body, headers: { ...form, 'x-slack-request-timestamp': at, 'x-slack-signature': signature } };
}

/** What the flow of the surface said, of its only run. */
const said = ({ call }: Tenant, flowId: string): Promise<string> =>
  eventually(async () => {
    const { data } = await expectStatus(200, call('GET', `/v1/flows/${flowId}/step-results`));
    expect(data).toHaveLength(1);
    return data[0].outputPreview;
  });

/** A webhook surface with an item `shown` whose flow shows a template. */
async function showing(scheme: 'github' | 'slack', text: string) {
  const { tenant, path, productId, surface } = await webhookWorld(signatureSettings(scheme));
  const flow = await publishedFlow(tenant, [template(text, 'shown')]);
  const given = { capabilityName: 'Show', flowId: flow.id };
  const capability = await expectStatus(201, addCapability(tenant, productId, given));
  const item = { capabilityId: capability.id, endpointSlug: 'shown' };
  await expectStatus(201, addItem(tenant, surface, item));
  const send = (delivery: Parameters<typeof sendWebhook>[1]) => sendWebhook(path, delivery, 'shown');
  return { send, capability, tenant, productId, shown: () => said(tenant, flow.id) };
}

test('GitHub’s default, a form with the JSON in the field payload, is the same as JSON', async () => {
  const { send, shown } = await showing('github', '{{ person }} {{ commits[0].id }} {{ webhook.event }}');
  const payload = JSON.stringify({ person: 'Ada & Eve', commits: [{ id: 'c1' }] });
  await expectStatus(202, send(asGithub(String(new URLSearchParams({ payload })))));
  expect(await shown()).toBe('Ada & Eve c1 push');
});

test('a command of Slack is a form: its fields are texts, and Slack gets an empty 200', async () => {
  const { send, shown } = await showing(
    'slack',
    '{{ command }} {{ text }} of {{ user_name }}: {{ response_url }}',
  );
  const url = 'https://hooks.slack.com/commands/T1/2/x';
  const fields = {
    command: '/greet',
    text: 'größe +1',
    user_name: 'ada',
    response_url: url,
    trigger_id: '1.2',
  };
  const answer = await send(asSlack(String(new URLSearchParams(fields))));
  expect(answer).toMatchObject({ status: 200, body: '' });
  expect(await shown()).toBe(`/greet größe +1 of ada: ${url}`);
});

test('interactivity of Slack is the JSON in payload', async () => {
  const { send, shown } = await showing('slack', '{{ type }} {{ actions[0].value }}');
  const payload = JSON.stringify({ type: 'block_actions', actions: [{ value: 'yes' }] });
  const answer = await send(asSlack(String(new URLSearchParams({ payload }))));
  expect(answer).toMatchObject({ status: 200, body: '' });
  expect(await shown()).toBe('block_actions yes');
});

test('fields of one name are a list, and names that no variable can have are in _input', async () => {
  const { send, shown } = await showing(
    'github',
    '{{ tag | join: "," }} {{ _input["First name"] }} {{ payload }}',
  );
  await expectStatus(202, send(asGithub('tag=a&tag=b&First+name=Ada&payload=7')));
  expect(await shown()).toBe('a,b Ada 7');
});

test.each([
  ['[{"id":"a"},{"id":"b"}]', '{{ _input[1].id }}', 'b'],
  ['"Ada"', '{{ _input }}', 'Ada'],
  ['17', '{{ _input }}', '17'],
  ['[]', '{{ _input.size }}', '0'],
])('an event that is %s is _input', async (body, text, expected) => {
  const { send, shown } = await showing('github', text);
  await expectStatus(202, send(asGithub(body, { 'content-type': 'application/json' })));
  expect(await shown()).toBe(expected);
});

test.each([
  ['payload=%7B', 'MALFORMED_JSON'],
  ['__proto__=x&a=b', 'FORBIDDEN_MEMBER'],
])('%s is a 400 once its signature is valid', async (body, code) => {
  const { path } = await webhookWorld();
  const { details } = await expectStatus(400, sendWebhook(path, asGithub(body)));
  expect(details).toEqual([expect.objectContaining({ code })]);
});

test('a signed body is UTF-8, with a mark of it or without; of other bytes the signature is not valid', async () => {
  const { tenant, path, flow } = await webhookWorld(signatureSettings('github'));
  const send = async (bytes: Buffer<ArrayBuffer>) => {
    const signature = `sha256=${createHmac('sha256', hookSecret).update(bytes).digest('hex')}`;
    const headers = { 'x-hub-signature-256': signature, 'x-github-delivery': randomUUID() };
    const { status } = await fetch(`${stack().url}${path}/webhook/greet`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: bytes,
    });
    return status;
  };
  expect(await send(Buffer.from('{"person":"J\xfcrgen"}', 'latin1'))).toBe(401);
  expect(await send(Buffer.from('\ufeff{"person":"Jürgen 🦉"}'))).toBe(202);
  expect(await said(tenant, flow.id)).toBe('Hello Jürgen 🦉');
});

test('a signed form may have another encoding, in ASCII', async () => {
  const { send, shown } = await showing('github', '{{ person }}');
  const headers = { 'content-type': 'application/x-www-form-urlencoded; charset=iso-8859-1' };
  await expectStatus(202, send(asGithub('person=J%FCrgen', headers)));
  expect(await shown()).toBe('Jürgen');
});

test('a form with another signature is a 401', async () => {
  const { path } = await webhookWorld();
  const { headers } = asGithub('person=Ada');
  await expectStatus(401, sendWebhook(path, { body: 'person=Eve', headers }));
});

test('members whose names no variable can have are reached by _input, also where the schema knows the others only', async () => {
  const text =
    '{{ _input["First name"] }} {{ _input["order.id"] }} {{ _input.größe }} {{ _input["1st"] }} {{ event-data.ok }} {{ _input._record }}';
  const { send, shown, capability, tenant, productId } = await showing('github', text);
  const parametersSchema = {
    type: 'object',
    properties: {
      webhook: {},
      form: { type: 'integer' },
      'event-data': {},
      'First name': { type: 'string', minLength: 2 },
    },
    required: ['form', 'First name'],
    additionalProperties: false,
  };
  const to = `/v1/products/${productId}/capabilities/${capability.id}`;
  await expectStatus(200, tenant.call('PUT', to, { body: { parametersSchema } }));
  const event = {
    form: 7,
    'First name': 'Ada',
    'order.id': 'A-17',
    größe: 'M',
    '1st': 'yes',
    'event-data': { ok: 1 },
    _record: 'r',
  };
  const json = { 'content-type': 'application/json' };
  const short = await expectStatus(
    400,
    send(asGithub(JSON.stringify({ ...event, 'First name': 'A' }), json)),
  );
  expect(short.details[0]).toMatchObject({ code: 'INVALID_VALUE' });
  await expectStatus(202, send(asGithub(JSON.stringify(event), json)));
  expect(await shown()).toBe('Ada A-17 M yes 1 r');
});

test('the headers of Svix are those of Standard Webhooks by other names', async () => {
  const { path, tenant, flow } = await webhookWorld(signatureSettings('standard-webhooks'));
  const [id, at] = [`msg_${randomUUID()}`, Math.floor(Date.now() / 1_000)];
  const body = JSON.stringify({ person: 'Ada' });
  const signature = new Webhook(hookSecret).sign(id, new Date(at * 1_000), body);
  const headers = { 'svix-id': id, 'svix-timestamp': String(at), 'svix-signature': signature };
  const first = await expectStatus(202, sendWebhook(path, { body, headers }));
  expect(await expectStatus(202, sendWebhook(path, { body, headers }))).toEqual(first);
  const other = { ...headers, 'svix-signature': signature.replace(/.{6}$/, 'AAAAA=') };
  await expectStatus(401, sendWebhook(path, { body, headers: other }));
  // Svix sends both.
  const both = deliveries['standard-webhooks']({ id });
  const more = { 'svix-id': 'other', 'svix-signature': 'v1,x' };
  expect(
    await expectStatus(202, sendWebhook(path, { ...both, headers: { ...both.headers, ...more } })),
  ).toEqual(first);
  expect(await said(tenant, flow.id)).toBe('Hello Ada');
});

test.each([
  ['names its encoding', 'person=%CC%EE%F1%EA%E2%E0', '; charset=windows-1251', 'Москва'],
  ['shows its encoding by its bytes', 'person=Caf%E9+%26+Z%FCrich', '', 'Café & Zürich'],
  ['has a letter that was cut', 'person=Z%C3%BCrich+%C3%9F+M%C3', '', 'Zürich ß M\uFFFD'],
])('a form that %s keeps its letters', async (_what, body, more, person) => {
  const { send, shown } = await showing('github', '{{ person }}');
  const headers = { 'content-type': `application/x-www-form-urlencoded${more}` };
  await expectStatus(202, send(asGithub(body, headers)));
  expect(await shown()).toBe(person);
});
