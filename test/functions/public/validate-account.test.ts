import { randomInt } from 'node:crypto';
import { afterEach, expect, test, vi } from 'vitest';
import { validateFlow } from '../../../functions/public/validate-flow.ts';
import { vectorStore } from '../../../shared/adapters/vectors/vector-store.ts';
import { toLambda } from '../../../shared/platform/http/lambda/lambda.ts';
import { createTool } from '../../support/files/tools.ts';
import { createRecords, expectStatus, template } from '../../support/flows/flows.ts';
import { invokeWith } from '../../support/stack/invoke.ts';
import { newKey } from '../../support/stack/keys.ts';
import {
  call,
  callerWith,
  countingRuntime,
  countingTable,
  newTenant,
  type Tenant,
} from '../../support/stack/stack.ts';
import { setupLink } from '../../support/surfaces/setup-links.ts';

afterEach(() => vi.unstubAllEnvs());

const path = '/v1/public/flows/validate';
const validate = ({ call }: Pick<Tenant, 'call'>, flowSteps: object[]) =>
  expectStatus(200, call('POST', path, { body: { name: 'A flow', flowSteps } }));
const step = (type: string, config: object) => ({ type, name: type, config });
const codes = ({ warnings }: { warnings: { code: string; path: string }[] }) =>
  warnings.map(({ code, path }) => `${code} ${path}`);

/** Steps that name one thing of each kind. */
const naming = (recordId: string, suffix = '') => [
  step('api-call', { http: { url: 'https://example.com', headers: { a: `{{secret:OWN${suffix}}}` } } }),
  step('prompt', { model: suffix ? 'openai/gpt-5-mini' : 'generic-openai/any', userPrompt: 'Hi' }),
  step('retrieve-record', { recordType: `thing${suffix}`, recordName: 'thing-0' }),
  step('update-record', { id: recordId, updates: {} }),
  step('retrieve-record', { recordFilter: { type: `thing${suffix}` } }),
  step('conditional', {
    condition: '_record.id',
    trueSteps: [step('vector-search', { collection: `notes${suffix}`, vectorVariable: '_record' })],
  }),
];
const missing = `record_${'0'.repeat(26)}`;

async function tenantWithAll() {
  const tenant = await newTenant();
  const [record] = await createRecords(tenant, 'thing', 1);
  const secret = { key: 'OWN', value: 'the own value' };
  await expectStatus(201, tenant.call('POST', '/v1/secrets', { body: secret }));
  await vectorStore(countingTable(tenant.tenant)).put('notes', [{ id: 'a', vector: [1, 0], metadata: {} }]);
  return { ...tenant, recordId: record?.id ?? '' };
}

test('with a credential, a warning marks each reference to what the account does not have', async () => {
  const tenant = await tenantWithAll();
  const context = { authenticated: true, accountChecksPerformed: true, accountChecksSkipped: false };
  const there = await validate(tenant, naming(tenant.recordId));
  expect(there).toMatchObject({ valid: true, warnings: [], context });
  const gone = await validate(tenant, naming(missing, '_GONE'));
  expect(gone).toMatchObject({ valid: true, context });
  expect(codes(gone).toSorted()).toEqual([
    'MODEL_NOT_CONFIGURED flowSteps.1.config.model',
    'UNKNOWN_COLLECTION flowSteps.5.config.trueSteps.0.config.collection',
    'UNKNOWN_RECORD flowSteps.2.config.recordName',
    'UNKNOWN_RECORD flowSteps.3.config.id',
    'UNKNOWN_RECORD_TYPE flowSteps.4.config.recordFilter.type',
    'UNKNOWN_SECRET flowSteps.0.config.http.headers.a',
  ]);
  // Another tenant's is as unknown as what never was.
  expect(codes(await validate(await newTenant(), naming(tenant.recordId)))).toHaveLength(5);
});

test('a flow that references nothing in the account, or only what its own steps create, has no warning', async () => {
  const made = [
    step('upsert-record', { recordType: 'new', sourceVariable: '_record', recordName: '{{ _record.name }}' }),
    step('retrieve-record', { recordType: 'new', recordName: 'x' }),
    step('store-vector', { vectorsSource: '_record', destination: 'own' }),
    step('vector-search', { collection: 'own', vectorVariable: '_record' }),
    step('retrieve-record', { recordType: '{{ _record.type }}', recordName: 'x' }),
  ];
  const context = { authenticated: true, accountChecksPerformed: true, accountChecksSkipped: false };
  const tenant = await newTenant();
  expect(await validate(tenant, made)).toMatchObject({ warnings: [], context });
  expect(await validate(tenant, [template('Hi')])).toMatchObject({ warnings: [], context });
});

test('a credential gets findings only about what it may read, and a note that the rest was not looked up', async () => {
  const tenant = await newTenant();
  const steps = naming(missing, '_GONE');
  const key = async (...permissions: string[]) => newKey(tenant, { permissions });
  const secretsOnly = await validate(await key('SECRETS:READ'), steps);
  expect(codes(secretsOnly).map((code) => code.split(' ')[0])).toEqual([
    'UNKNOWN_SECRET',
    'MODEL_NOT_CONFIGURED',
  ]);
  expect(secretsOnly.context).toEqual({
    authenticated: true,
    accountChecksPerformed: true,
    accountChecksSkipped: true,
  });
  const nothing = await validate(await key('FLOWS:READ'), steps.slice(2));
  expect(nothing).toMatchObject({
    warnings: [],
    context: { authenticated: true, accountChecksPerformed: false, accountChecksSkipped: true },
  });
});

test('a flow that references hundreds of things is looked up in few requests', async () => {
  const { key } = await newKey(await newTenant(), { permissions: ['*'] });
  const flowSteps = Array.from({ length: 150 }, (_, n) => [
    step('retrieve-record', { recordType: `type ${n}`, recordName: 'x' }),
    step('retrieve-record', { recordFilter: { type: `other ${n}` } }),
    step('retrieve-record', { id: `record_${String(n).padStart(26, '0')}` }),
    step('fetch-url', { http: { url: `https://example.com/{{secret:KEY_${n}}}` } }),
  ]).flat();
  const runtime = countingRuntime();
  const invoke = invokeWith(
    toLambda(validateFlow, () => runtime),
    {},
  );
  const ask = (steps: object[]) =>
    invoke({
      httpMethod: 'POST',
      headers: { Authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'Much', flowSteps: steps }),
    });
  // The first request begins the key's window.
  await ask([]);
  runtime.reset();
  const { context } = JSON.parse((await ask(flowSteps)).body);
  expect(context).toEqual({ authenticated: true, accountChecksPerformed: true, accountChecksSkipped: true });
  const asked = Object.groupBy(runtime.consumed.commands, (command) => command);
  expect(Object.entries(asked).map(([command, all]) => [command, all?.length])).toEqual([
    ['UpdateItem', 1],
    ['BatchGetItem', 2],
    ['Query', 20],
  ]);
});

test('a bad credential gets a 401 and is never treated as anonymous', async () => {
  const tenant = await newTenant();
  const deleted = await newKey(tenant);
  await expectStatus(200, tenant.call('DELETE', `/v1/api-keys/${deleted.id}`));
  const body = { name: 'x', flowSteps: [template('x')] };
  for (const authorization of [
    'Bearer nonsense',
    'Basic eDp5',
    `Bearer ${deleted.key}`,
    `Bearer ${tenant.token}x`,
  ]) {
    const answer = await call('POST', path, { body, headers: { authorization } });
    expect(answer).toMatchObject({ status: 401, body: { error: 'Unauthorized' } });
    // API Gateway renames it.
    expect(answer.headers.get('x-amzn-remapped-www-authenticate')).toBe('Bearer');
    // It counts for its address.
    expect(answer.headers.get('x-ratelimit-limit')).toBe('100');
  }
  const { token } = await setupLink(tenant, ['KEY']);
  const refused = await callerWith(token)('POST', path, { body });
  expect(refused).toMatchObject({ status: 403, body: { details: 'Missing required permission: *' } });
});

test('a call with a key counts against the key, a call without one against its IP address', async () => {
  const key = await newKey(await newTenant(), { rateLimits: { perHour: 7 } });
  const body = { name: 'x', flowSteps: [template('x')] };
  const withKey = await key.call('POST', path, { body });
  expect(withKey.headers.get('x-ratelimit-limit')).toBe('7');
  expect(withKey.headers.get('x-ratelimit-remaining')).toBe('6');
  const without = await call('POST', path, { body });
  expect(without.headers.get('x-ratelimit-limit')).toBe('100');
});

const group = () => randomInt(1, 0xffff).toString(16);

test('anonymous calls are limited by the IP address that the gateway reports, whatever the headers say', async () => {
  vi.stubEnv('RATE_LIMIT_PER_HOUR', '20');
  const runtime = countingRuntime();
  const invoke = invokeWith(
    toLambda(validateFlow, () => runtime),
    {},
  );
  const ask = (sourceIp: string, forwarded = '203.0.113.1') =>
    invoke({
      httpMethod: 'POST',
      headers: { 'content-type': 'application/json', 'X-Forwarded-For': forwarded },
      body: JSON.stringify({ name: 'x', flowSteps: [] }),
      requestContext: { requestId: 'test', identity: { sourceIp } } as never,
    });
  const network = `2001:db8:${group()}:${group()}`;
  expect((await ask(`${network}::1`)).statusCode).toBe(200);
  expect((await ask(`${network}:1:2:3:4`, '203.0.113.2')).statusCode).toBe(200);
  expect(runtime.consumed.commands).toEqual(expect.arrayContaining(['UpdateItem']));
  const refused = await ask(`${network}::1`, '203.0.113.3');
  expect(refused).toMatchObject({
    statusCode: 429,
    headers: { 'X-RateLimit-Limit': '2', 'X-RateLimit-Remaining': '0', 'Retry-After': expect.any(String) },
  });
  expect(JSON.parse(refused.body)).toEqual({
    error: 'Rate limit exceeded',
    details: 'Hourly limit of 2 requests reached',
  });
  expect((await ask(`2001:db8:${group()}:${group()}::1`)).statusCode).toBe(200);
});

test('the API document declares the credential as optional', async () => {
  const { body } = await call('GET', '/openapi.json');
  const { security, responses } = body.paths[path].post;
  expect(security).toEqual([{}, { bearer: [] }]);
  expect(Object.keys(responses)).toEqual(expect.arrayContaining(['401', '403', '429']));
});

test('tools that do not exist, or are not active, are warnings for those who may read tools', async () => {
  const tenant = await newTenant();
  const tool = await createTool(tenant);
  const off = await createTool(tenant, { name: 'Off' });
  await expectStatus(200, tenant.call('PUT', `/v1/tools/${off.id}`, { body: { isActive: false } }));
  const toolIds = [tool.id, 'builtin:calculator', 'builtin:nothing'];
  const steps = [
    step('tool-call', { toolId: off.id }),
    step('tool-call', { toolId: `tool_${'0'.repeat(26)}` }),
    step('prompt', { model: 'generic-openai/x', userPrompt: 'x', tools: { toolIds } }),
  ];
  const { warnings } = await validate(tenant, steps);
  const named = warnings.filter(({ code }: { code: string }) => code === 'UNKNOWN_TOOL');
  expect(named.map(({ path, message }: { path: string; message: string }) => `${path}: ${message}`)).toEqual([
    `flowSteps.0.config.toolId: The tool "Off" (${off.id}) is not active`,
    `flowSteps.1.config.toolId: There is no tool tool_${'0'.repeat(26)}`,
    'flowSteps.2.config.tools.toolIds.2: There is no tool builtin:nothing',
  ]);
  const key = await newKey(tenant, { permissions: ['FLOWS:READ'] });
  const hidden = await validate(key, steps);
  expect(hidden.warnings.filter(({ code }: { code: string }) => code === 'UNKNOWN_TOOL')).toEqual([]);
});
