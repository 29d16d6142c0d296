import { expect, test } from 'vitest';
import { expectStatus, template } from '../../support/flows/flows.ts';
import { newTenant, stack } from '../../support/stack/stack.ts';

const create = async (body: unknown, options: object = {}) => {
  const tenant = await newTenant();
  const answer = await tenant.call('POST', '/v1/flows', { body, ...options });
  const list = await tenant.call('GET', '/v1/flows');
  return { ...answer, tenant, stored: list.body.data.length as number };
};

test('returns the flow with generated step ids, orders and defaults; a later read returns the same', async () => {
  const { status, body, tenant } = await create({
    name: 'Greet',
    description: 'says hello',
    flowSteps: [template('a'), template('b')],
  });
  expect(status).toBe(201);
  expect(body).toMatchObject({
    name: 'Greet',
    description: 'says hello',
    userId: tenant.userId,
    organizationId: null,
    stepCount: 2,
    lastRunAt: null,
    dashboardUrl: `${stack().url}/console#/flows/${body.id}`,
  });
  expect(body.id).toMatch(/^flow_[0-9a-z]{26}$/);
  expect(body.flowSteps.map(({ order }: { order: number }) => order)).toEqual([0, 1]);
  for (const step of body.flowSteps)
    expect(step).toMatchObject({ id: expect.stringMatching(/^step_/), enabled: true });
  expect((await tenant.call('GET', `/v1/flows/${body.id}`)).body).toEqual(body);
});

test('steps is an alias of flowSteps, which takes precedence; steps are sorted by order', async () => {
  const { body } = await create({
    name: 'f',
    steps: [template('not me')],
    flowSteps: [
      { ...template('second'), order: 7 },
      { ...template('first'), order: 3, id: 'my-step.1' },
    ],
  });
  expect(body.flowSteps.map(({ name }: { name: string }) => name)).toEqual(['first', 'second']);
  expect(body.flowSteps[0].id).toBe('my-step.1');
});

test.each([
  ['no name', {}, 'name', 'MISSING_REQUIRED_FIELD'],
  ['an empty name', { name: '' }, 'name', 'TOO_SMALL'],
  ['a name of another type', { name: 7 }, 'name', 'INVALID_TYPE'],
  ['an unknown member', { name: 'f', colour: 'red' }, 'colour', 'UNKNOWN_MEMBER'],
  [
    'an unknown step type',
    { name: 'f', flowSteps: [{ type: 'teleport', name: 's' }] },
    'flowSteps.0.type',
    'INVALID_ENUM',
  ],
  [
    'an unknown member of a step',
    { name: 'f', flowSteps: [{ ...template('x'), colour: 'red' }] },
    'flowSteps.0.colour',
    'UNKNOWN_MEMBER',
  ],
  [
    'a config that lacks a member',
    { name: 'f', flowSteps: [{ type: 'template', name: 's', config: {} }] },
    'flowSteps.0.config.template',
    'MISSING_REQUIRED_FIELD',
  ],
  [
    'an unknown member of a config',
    {
      name: 'f',
      flowSteps: [template('x'), { type: 'template', name: 's', config: { template: 'x', tempalte: 'y' } }],
    },
    'flowSteps.1.config.tempalte',
    'UNKNOWN_MEMBER',
  ],
  [
    'a template that does not parse',
    { name: 'f', flowSteps: [template('{{ open')] },
    'flowSteps.0.config.template',
    'INVALID_TEMPLATE',
  ],
  [
    'a step id with a blank',
    { name: 'f', flowSteps: [{ ...template('x'), id: 'a b' }] },
    'flowSteps.0.id',
    'INVALID_FORMAT',
  ],
  [
    'an order below 0',
    { name: 'f', flowSteps: [{ ...template('x'), order: -1 }] },
    'flowSteps.0.order',
    'TOO_SMALL',
  ],
  [
    'a when over 500 characters',
    { name: 'f', flowSteps: [{ ...template('x'), when: `true${' '.repeat(500)}` }] },
    'flowSteps.0.when',
    'TOO_BIG',
  ],
])('400 for %s names it, and nothing is stored', async (_what, body, path, code) => {
  const answer = await create(body);
  expect(answer.status).toBe(400);
  expect(answer.body).toMatchObject({
    error: 'Validation error',
    details: [expect.objectContaining({ path, code })],
  });
  expect(answer.stored).toBe(0);
});

test('400 for malformed JSON, 415 for another content type, 413 for a body over the limit', async () => {
  expect(await create('{"name": "f"')).toMatchObject({
    status: 400,
    body: { details: [{ code: 'MALFORMED_JSON' }] },
    stored: 0,
  });
  expect(
    await create('name=f', { headers: { 'content-type': 'application/x-www-form-urlencoded' } }),
  ).toMatchObject({ status: 415, stored: 0 });
  expect(await create({ name: 'f', description: 'x'.repeat(6_000_000) })).toMatchObject({
    status: 413,
    stored: 0,
  });
});

test('a flow whose steps exceed the item size limit keeps every character of them', async () => {
  const texts = Array.from({ length: 12 }, (_, n) => `${n}: ${'äß€'.repeat(20_000)}`);
  const { status, body, tenant } = await create({
    name: 'large',
    flowSteps: texts.map((text) => ({ ...template(text), name: 's' })),
  });
  expect(status).toBe(201);
  const read = await tenant.call('GET', `/v1/flows/${body.id}`);
  expect(read.body.flowSteps.map((step: { config: { template: string } }) => step.config.template)).toEqual(
    texts,
  );
});

test('an error names a rejected __proto__ member', async () => {
  const { call } = await newTenant();
  const body = '{"name": "x", "flowSteps": [], "__proto__": {"polluted": true}}';
  const answer = await expectStatus(400, call('POST', '/v1/flows', { body }));
  expect(answer.details).toMatchObject([
    { code: 'FORBIDDEN_MEMBER', message: expect.stringContaining('__proto__') },
  ]);
});
