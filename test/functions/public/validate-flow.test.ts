import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CreateFlowBody } from '../../../functions/flows/schemas.ts';
import { validateFlow as endpoint } from '../../../functions/public/validate-flow.ts';
import { validateSentFlow } from '../../../shared/domain/flows/analysis/validate.ts';
import { findTextProblems } from '../../../shared/domain/flows/checking/flow-steps.ts';
import { expectStatus, template } from '../../support/flows/flows.ts';
import { testSandbox } from '../../support/flows/sandbox.ts';
import { call, newTenant, type Tenant } from '../../support/stack/stack.ts';

const path = '/v1/public/flows/validate';
const validate = (body: unknown, caller: Pick<Tenant, 'call'> = { call }) =>
  expectStatus(200, caller.call('POST', path, { body }));
const context = { authenticated: false, accountChecksPerformed: false, accountChecksSkipped: true };

test('validation reports, without a credential, that a flow can be saved', async () => {
  expect(await validate({ name: 'Fine', flowSteps: [template('Hi {{ _record.name }}')] })).toEqual({
    valid: true,
    errors: [],
    warnings: [],
    recommendations: [],
    context,
  });
});

test('validation returns errors, warnings and recommendations, each with its step and its path', async () => {
  const answer = await validate({
    name: 'Not so fine',
    steps: [
      template('{{ who }}', 'greeting'),
      { type: 'template', name: 'broken', config: { template: '{{ a' } },
      { type: 'nothing', name: 'unknown' },
      {
        type: 'conditional',
        name: 'nested',
        config: {
          condition: '1 > 2',
          trueSteps: [{ type: 'transform-data', name: 'deep', config: { script: 'return (' } }],
        },
      },
    ],
  });
  expect(answer.valid).toBe(false);
  expect(answer.errors).toEqual([
    {
      code: 'INVALID_ENUM',
      message: expect.stringMatching(/^Expected one of prompt, /),
      path: 'steps.2.type',
      step: { index: 2, name: 'unknown', type: 'nothing' },
    },
    {
      code: 'INVALID_TEMPLATE',
      message: expect.stringContaining('not closed'),
      path: 'steps.1.config.template',
      step: { index: 1, name: 'broken', type: 'template' },
    },
    {
      code: 'INVALID_SCRIPT',
      message: "Unexpected token '}' (line 2)",
      path: 'steps.3.config.trueSteps.0.config.script',
      step: { index: 3, name: 'deep', type: 'transform-data' },
    },
  ]);
  expect(answer.warnings).toMatchObject([
    { code: 'UNREACHABLE_BRANCH', path: 'steps.3.config.trueSteps', step: { index: 3, name: 'nested' } },
    { code: 'UNKNOWN_VARIABLE', path: 'steps.0.config.template', details: { variable: 'who' } },
  ]);
  expect(answer.context).toEqual(context);
});

const nested = (levels: number): object =>
  levels === 0
    ? template('x')
    : { type: 'conditional', name: 'c', config: { condition: 'true', trueSteps: [nested(levels - 1)] } };
const bodies: object[] = [
  {},
  { name: '' },
  { name: 5, flowSteps: 'none' },
  { name: 'x', extra: 1 },
  { name: 'x', description: 'x'.repeat(2_001) },
  { name: 'x' },
  { name: 'x', flowSteps: [] },
  { name: 'x', flowSteps: [null] },
  { name: 'x', flowSteps: [{ type: 'template' }] },
  { name: 'x', flowSteps: [{ type: 'template', name: 'a', config: { template: '{% nothing %}' } }] },
  { name: 'x', flowSteps: [{ type: 'template', name: 'a', config: { template: 'x', more: 1 } }] },
  { name: 'x', flowSteps: [{ ...template('x'), id: 'a b' }] },
  {
    name: 'x',
    flowSteps: [
      { ...template('x'), id: 'a' },
      { ...template('x'), id: 'a' },
    ],
  },
  { name: 'x', flowSteps: [{ ...template('x'), when: '1 +' }] },
  { name: 'x', flowSteps: [{ ...template('x'), order: -1 }] },
  {
    name: 'x',
    flowSteps: [{ type: 'set-variable', name: 's', config: { variableName: '_flow', value: 1 } }],
  },
  { name: 'x', flowSteps: [{ type: 'prompt', name: 'p', config: { model: 'm', temperature: 'hot' } }] },
  {
    name: 'x',
    flowSteps: [
      {
        type: 'retrieve-record',
        name: 'r',
        config: { recordFilter: { type: 't', where: { field: 'a', op: 'eq' } } },
      },
    ],
  },
  { name: 'x', flowSteps: Array.from({ length: 1_000 }, () => template('x')) },
  { name: 'x', flowSteps: Array.from({ length: 1_001 }, () => template('x')) },
  { name: 'x', flowSteps: [nested(10)] },
  { name: 'x', flowSteps: [nested(11)] },
  { name: 'x', flowSteps: [nested(500)] },
  { name: 'x', flowSteps: [template('{{ a.b }}')], steps: [template('{{ broken')] },
  { name: 'x', steps: [template('{{ broken')] },
];

test('validation agrees with saving: what saving rejects is an error here, with the same message', async () => {
  const tenant = await newTenant();
  for (const body of bodies) {
    const [saved, said] = await Promise.all([
      tenant.call('POST', '/v1/flows', { body }),
      validate(body, tenant),
    ]);
    const about = JSON.stringify(body).slice(0, 200);
    expect(said.valid, about).toBe(saved.status === 201);
    const refusals = saved.status === 201 ? [] : saved.body.details;
    for (const detail of refusals) expect(said.errors, about).toContainEqual(expect.objectContaining(detail));
  }
});

/** Any JSON, in the shape of a flow where that comes by chance. */
const anything = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.constantFrom('template', 'conditional', 'x', '{{ a }}', '{{', 1),
);
const step = fc.record(
  {
    type: fc.oneof(
      fc.constantFrom('template', 'conditional', 'transform-data', 'prompt', 'api-call', 'nope'),
      anything,
    ),
    name: anything,
    when: anything,
    order: anything,
    enabled: anything,
    config: fc.oneof(
      fc.record(
        {
          template: anything,
          script: anything,
          condition: anything,
          trueSteps: fc.array(anything, { maxLength: 2 }),
          outputVariable: anything,
        },
        { requiredKeys: [] },
      ),
      anything,
    ),
  },
  { requiredKeys: [] },
);
const flow = fc.record(
  { name: anything, flowSteps: fc.oneof(fc.array(step, { maxLength: 4 }), anything), steps: anything },
  { requiredKeys: [] },
);

async function canBeSaved(body: unknown): Promise<boolean> {
  const parsed = CreateFlowBody.safeParse(body);
  if (!parsed.success) return false;
  const { flowSteps, steps = [] } = parsed.data;
  return (await findTextProblems(flowSteps ?? steps, ['flowSteps'], testSandbox)).length === 0;
}

test('validation answers any body, and reports as valid exactly what saving accepts', async () => {
  await fc.assert(
    fc.asyncProperty(flow, async (body) => {
      const { valid, errors } = await validateSentFlow(CreateFlowBody, body, testSandbox);
      expect(valid).toBe(await canBeSaved(body));
      expect(valid).toBe(errors.length === 0);
    }),
    { numRuns: 500 },
  );
});

test.each([
  ['[]', 400],
  ['"text"', 400],
  ['5', 400],
  ['{', 400],
  [JSON.stringify({ name: 'x'.repeat(6_000_000) }), 413],
])('a body that is not a JSON object of at most 6 MB is rejected (%#)', async (body, status) => {
  expect((await call('POST', path, { body })).status).toBe(status);
});

test('415 for a body that is not JSON', async () => {
  const answer = await call('POST', path, { body: 'name=x', headers: { 'content-type': 'text/plain' } });
  expect(answer.status).toBe(415);
});

test('a request whose time runs out leaves the queue shared by all callers', async () => {
  const body = { name: 'Late', flowSteps: [template('{{ a | upcase }}')] };
  const signal = AbortSignal.abort(new Error('no time left'));
  const request = { body, signal, params: undefined, query: undefined } as never;
  await expect(endpoint.handle(request, undefined as never)).rejects.toThrow('no time left');
});
