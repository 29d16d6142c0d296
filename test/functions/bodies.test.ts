import { expect, test } from 'vitest';
import { createFlow, expectStatus, template } from '../support/flows/flows.ts';
import { newTenant, type Tenant } from '../support/stack/stack.ts';

const prompt = (model: string) => ({
  type: 'prompt',
  name: 'p',
  config: { model: `generic-openai/${model}`, userPrompt: 'x' },
});

const create = ({ call }: Tenant, body: object | string) => call('POST', '/v1/records', { body });

test.each([
  ['1e999', 'NUMBER_NOT_EXACT'],
  ['9007199254740993', 'NUMBER_NOT_EXACT'],
])('400 with the path for a record whose metadata cannot be stored as sent: %s', async (value, code) => {
  const tenant = await newTenant();
  const { details } = await expectStatus(
    400,
    create(tenant, `{"type":"t","name":"n","metadata":{"list":[{"n":${value}}]}}`),
  );
  expect(details).toMatchObject([{ path: 'metadata.list.0.n', code }]);
});

const members = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, 1]));

test.each([
  ['members', members(100_000)],
  ['members of one object', { type: 't', name: 'n', metadata: { list: [members(30_001)] } }],
  ['elements', { type: 't', name: 'n', metadata: { list: Array(100_000).fill(0) } }],
  ['elements of lists in lists', { type: 't', name: 'n', metadata: { list: Array(50_000).fill([[]]) } }],
  ['strings of brackets and commas beside them', { a: ',\\",['.repeat(9), list: Array(100_000).fill('"') }],
])('400 for a body of more than 100,000 values, or 30,000 in an object: %s', async (_what, body) => {
  const { details } = await expectStatus(400, create(await newTenant(), body));
  expect(details).toMatchObject([{ path: '', code: 'TOO_MANY_VALUES' }]);
});

test('what stands in strings, and white space, does not count as values', async () => {
  const tenant = await newTenant();
  const body = {
    type: 't',
    name: 'n',
    metadata: { text: ',[]{}\\"'.repeat(9_000), list: Array(20_000).fill(1) },
  };
  await expectStatus(201, create(tenant, JSON.stringify(body, null, 8)));
});

test('the schema validates a body of as many values as are allowed', async () => {
  const tenant = await newTenant();
  const unknown = await expectStatus(400, create(tenant, { type: 't', name: 'n', ...members(29_998) }));
  expect(unknown.details).toHaveLength(101);
});

test.each(['iso-8859-1', '"utf-16"', 'us-ascii'])('415 for a body in %s', async (charset) => {
  const tenant = await newTenant();
  const headers = { 'content-type': `application/json; charset=${charset}` };
  const answer = await tenant.call('POST', '/v1/records', { body: { type: 't', name: 'n' }, headers });
  expect(answer).toMatchObject({
    status: 415,
    body: { details: [{ message: expect.stringContaining('application/json in UTF-8') }] },
  });
});

test.each([
  'application/json; charset=UTF-8',
  'application/json;charset="utf-8"',
  'application/merge-patch+json',
])('a body of the type %s is accepted', async (type) => {
  const tenant = await newTenant();
  const headers = { 'content-type': type };
  await expectStatus(201, tenant.call('POST', '/v1/records', { body: { type: 't', name: 'é' }, headers }));
});

test('every name field rejects blank names and names with half a surrogate pair', async () => {
  const tenant = await newTenant();
  const flow = await createFlow(tenant);
  const record = await expectStatus(201, create(tenant, { type: 't', name: 'n' }));
  const step = { ...template('x'), name: ' \t' };
  const inline = { flow: { name: ' ', steps: [template('x')] } };
  for (const [method, path, body, at] of [
    ['POST', '/v1/records', { type: 't', name: '  ' }, 'name'],
    ['POST', '/v1/records', { type: '\u00a0', name: 'n' }, 'type'],
    ['PUT', `/v1/records/${record.id}`, { name: '\n' }, 'name'],
    ['POST', '/v1/flows', { name: '   ' }, 'name'],
    ['PUT', `/v1/flows/${flow.id}`, { name: '   ' }, 'name'],
    ['POST', '/v1/flows', { name: 'f', flowSteps: [step] }, 'flowSteps.0.name'],
    ['POST', '/v1/dispatch', inline, 'flow.name'],
    ['POST', '/v1/api-keys', { name: ' ' }, 'name'],
    ['POST', '/v1/flows', { name: '\ud800' }, 'name'],
    ['POST', '/v1/flows', { name: 'f', description: '\ud800' }, 'description'],
    ['POST', '/v1/flows', { name: 'f', flowSteps: [prompt('\udc00')] }, 'flowSteps.0.config.model'],
  ] as const) {
    const { details } = await expectStatus(400, tenant.call(method, path, { body }));
    expect(details, `${method} ${path}`).toMatchObject([{ path: at }]);
  }
});

/** About as many as a body may have. */
const many = 45_000;
const manyMembers = () => Object.fromEntries(Array.from({ length: many }, (_, index) => [`k${index}`, 1]));

test.each([
  ['members that are none', manyMembers],
  [
    'parts of a union',
    () => ({ flow: { name: 'x' }, messages: [{ role: 'user', content: Array(many).fill({}) }] }),
  ],
])('400 for a body with very many %s, listing some of the errors', async (_what, body) => {
  const tenant = await newTenant();
  const { details } = await expectStatus(400, tenant.call('POST', '/v1/dispatch', { body: body() }));
  expect(details.length).toBeLessThanOrEqual(101);
});

test('a flow with very many invalid steps is rejected for too many steps', async () => {
  const tenant = await newTenant();
  const body = { name: 'x', flowSteps: Array(many).fill({ type: 'none' }) };
  const { errors } = await expectStatus(200, tenant.call('POST', '/v1/public/flows/validate', { body }));
  expect(errors[0]).toMatchObject({ code: 'TOO_MANY_STEPS' });
});
