import { expect, test } from 'vitest';
import { ServiceError } from '../../../../../shared/core/errors/errors.ts';
import { newId } from '../../../../../shared/core/ids.ts';
import {
  checkTexts,
  FlowStepsInput,
  normaliseSteps,
} from '../../../../../shared/domain/flows/checking/flow-steps.ts';
import { parseOrReject } from '../../../../../shared/platform/http/validation.ts';
import { testSandbox } from '../../../../support/flows/sandbox.ts';

const step = (more: object = {}) => ({ type: 'template', name: 'T', config: { template: 'x' }, ...more });
const conditional = (trueSteps: unknown[], more: object = {}) => ({
  type: 'conditional',
  name: 'C',
  config: { condition: 'true', trueSteps },
  ...more,
});
async function saved(steps: unknown) {
  const parsed = parseOrReject(FlowStepsInput, steps, ['flowSteps']);
  return normaliseSteps(await checkTexts(parsed, ['flowSteps'], testSandbox), newId);
}

/** The details of the 400 that saving these steps gives. */
async function refusal(steps: unknown) {
  try {
    await saved(steps);
  } catch (error) {
    if (error instanceof ServiceError) return error.details;
    throw error;
  }
  return [];
}

test('completes steps and sorts them by order, then position', async () => {
  const [first, second, third] = await saved([
    step({ name: 'late', order: 5 }),
    step({ name: 'a', order: 0, id: 'mine' }),
    step({ name: 'b', order: 0, enabled: false, when: '1 > 2' }),
  ]);
  expect(first).toEqual({ ...step({ name: 'a' }), id: 'mine', order: 0, enabled: true });
  expect(second).toMatchObject({
    name: 'b',
    enabled: false,
    when: '1 > 2',
    id: expect.stringMatching(/^step_[0-9a-z]{26}$/),
  });
  expect(third).toMatchObject({ name: 'late', order: 5 });
});

test('nested steps are completed the same way', async () => {
  const [outer] = await saved([conditional([conditional([step()]), step({ order: 0, name: 'b' })])]);
  expect(outer?.config.trueSteps).toMatchObject([
    {
      type: 'conditional',
      order: 0,
      id: expect.stringContaining('step_'),
      config: { trueSteps: [{ order: 0, enabled: true }] },
    },
    { name: 'b', order: 0, id: expect.stringContaining('step_') },
  ]);
});

const handling = (...fallbacks: object[]) => ({ errorHandling: { onError: 'fallback', fallbacks } });
const asking = (more: object) => ({
  type: 'prompt',
  name: 'p',
  config: { model: 'm', userPrompt: 'x', ...more },
});

test.each([
  [
    [step({ type: 'dance' })],
    [
      {
        path: 'flowSteps.0.type',
        code: 'INVALID_ENUM',
        message: expect.stringContaining('prompt, template'),
      },
    ],
  ],
  [[step({ type: undefined })], [{ path: 'flowSteps.0.type', code: 'MISSING_REQUIRED_FIELD' }]],
  [[step({ type: 'toString' })], [{ path: 'flowSteps.0.type', code: 'INVALID_ENUM' }]],
  [[step(), step({ name: '' })], [{ path: 'flowSteps.1.name', code: 'TOO_SMALL' }]],
  [
    [{ type: 'template', name: 'T' }],
    [{ path: 'flowSteps.0.config.template', code: 'MISSING_REQUIRED_FIELD' }],
  ],
  [
    [step({ config: { template: '{{ x' } })],
    [{ path: 'flowSteps.0.config.template', code: 'INVALID_TEMPLATE' }],
  ],
  [
    [step({ config: { template: 'x', extra: 1 } })],
    [{ path: 'flowSteps.0.config.extra', code: 'UNKNOWN_MEMBER' }],
  ],
  [[step({ config: 'x' })], [{ path: 'flowSteps.0.config', code: 'INVALID_TYPE' }]],
  [[step({ when: 'a ===' })], [{ path: 'flowSteps.0.when', code: 'INVALID_SCRIPT' }]],
  [[step({ when: `"${'x'.repeat(500)}"` })], [{ path: 'flowSteps.0.when', code: 'TOO_BIG' }]],
  [[step({ id: 'a b' })], [{ path: 'flowSteps.0.id', code: 'INVALID_FORMAT' }]],
  [[step({ order: -1 })], [{ path: 'flowSteps.0.order', code: 'TOO_SMALL' }]],
  [[step({ colour: 'red' })], [{ path: 'flowSteps.0.colour', code: 'UNKNOWN_MEMBER' }]],
  [
    [step({ id: 'a' }), conditional([step({ id: 'a' })])],
    [{ path: 'flowSteps.1.config.trueSteps.0.id', code: 'DUPLICATE_ID' }],
  ],
  [
    [conditional([step({ type: 'dance' })])],
    [{ path: 'flowSteps.0.config.trueSteps.0.type', code: 'INVALID_ENUM' }],
  ],
  [
    [conditional([step({ name: 5 })])],
    [{ path: 'flowSteps.0.config.trueSteps.0.name', code: 'INVALID_TYPE' }],
  ],
  [
    [step({ config: { template: 'x', ...handling({ type: 'retry', delay: 60_001 }) } })],
    [{ path: 'flowSteps.0.config.errorHandling.fallbacks.0.delay', code: 'TOO_BIG' }],
  ],
  [
    [step({ config: { template: 'x', ...handling(...Array(11).fill({ type: 'retry' })) } })],
    [{ path: 'flowSteps.0.config.errorHandling.fallbacks', code: 'TOO_BIG' }],
  ],
  [
    [asking(handling(...Array(11).fill({ type: 'model', model: 'm' })))],
    [{ path: 'flowSteps.0.config.errorHandling.fallbacks', code: 'TOO_BIG' }],
  ],
  [
    [
      step({
        type: 'approval',
        config: {
          question: 'Well?',
          assignees: { emails: ['ada@example.com', '{{ owner }}', 'not an address'] },
        },
      }),
    ],
    [
      {
        path: 'flowSteps.0.config.assignees.emails.2',
        code: 'INVALID_VALUE',
        message: 'Expected an email address',
      },
    ],
  ],
  [Array.from({ length: 1_001 }, () => step()), [{ path: 'flowSteps.1000', code: 'TOO_MANY_STEPS' }]],
  [
    [{ type: 'set-variable', name: 's', config: { variableName: 'a', value: Array(20_000).fill('{{a}}') } }],
    [{ path: 'flowSteps', code: 'TOO_MANY_VALUES' }],
  ],
  [['x'], [{ path: 'flowSteps.0', code: 'INVALID_TYPE' }]],
  ['x', [{ path: 'flowSteps', code: 'INVALID_TYPE' }]],
])('%j is rejected at its path', async (steps, details) => {
  expect(await refusal(steps)).toMatchObject(details);
});

const nested = (levels: number): object => (levels === 0 ? step() : conditional([nested(levels - 1)]));

test('conditionals may be nested at most ten levels deep', async () => {
  expect(await saved([nested(10)])).toHaveLength(1);
  expect(await refusal([nested(11)])).toMatchObject([{ code: 'TOO_DEEP' }]);
});

test('a body nested to overflow the stack is rejected like any other', async () => {
  const open = '{"type":"conditional","name":"x","config":{"condition":"1","trueSteps":[';
  const bomb = JSON.parse(`[${open.repeat(20_000)}${']}}'.repeat(20_000)}]`);
  expect(await refusal(bomb)).toMatchObject([{ code: 'TOO_DEEP' }]);
});

test('a map gives an item and its position different variables', async () => {
  const map = (config: object) => ({
    type: 'map',
    name: 'M',
    config: { items: '[1]', steps: [step()], ...config },
  });
  for (const config of [{ as: 'a', indexAs: 'a' }, { indexAs: 'item' }]) {
    expect(await refusal([map(config)])).toMatchObject([{ path: 'flowSteps.0.config.indexAs' }]);
  }
  expect(await refusal([map({ indexAs: 'index' })])).toEqual([]);
});

test('of a step whose texts all name secrets, five are refused in words', () => {
  const value = Array(1_000).fill('{{secret:KEY}}');
  const config = { variableName: 'v', value };
  const { error } = FlowStepsInput.safeParse([{ type: 'set-variable', name: 'Set', config }]);
  expect(error?.issues.map(({ path }) => path.join('.'))).toEqual(
    [0, 1, 2, 3, 4].map((at) => `0.config.value.${at}`),
  );
});
