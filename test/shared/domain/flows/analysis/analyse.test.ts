import { expect, test } from 'vitest';
import { analyse } from '../../../../../shared/domain/flows/analysis/validate.ts';
import type { FlowStepInput } from '../../../../../shared/domain/flows/checking/flow-step.ts';
import { testSandbox } from '../../../../support/flows/sandbox.ts';
import { prompt, renderStep, setVariable, transform } from '../../../execution/engine/engine-world.ts';

const condition = (expression: string, trueSteps: object[], falseSteps: object[] = []): FlowStepInput => ({
  type: 'conditional',
  name: expression,
  config: { condition: expression, trueSteps, falseSteps },
});

/** What is said about some steps, as `CODE path variable`. */
async function said(kind: 'warnings' | 'recommendations', ...steps: object[]): Promise<string[]> {
  const findings = (await analyse(steps, 'flowSteps', testSandbox))[kind];
  return findings.map(({ code, path, details }) => {
    const { variable, model } = (details ?? {}) as { variable?: string; model?: string };
    return [code, path, variable ?? model].filter(Boolean).join(' ');
  });
}
const warnings = (...steps: object[]) => said('warnings', ...steps);
const recommendations = (...steps: object[]) => said('recommendations', ...steps);

test('a consistent flow has no findings', async () => {
  const steps = [
    renderStep('{{ _record.name }} {{ _flow.name }} {{ messages | size }} {{ secrets.key }}', 'a'),
    transform('const local = [a].map((x) => x.length); return { local, b: variables.a, c: input["a"] }', 'd'),
    setVariable('e', { list: ['{{ d.local }}'] }),
    condition('e.list.length > 0', [
      renderStep('{% assign f = e %}{% for g in f.list %}{{ g }}{% endfor %}', 'h'),
    ]),
    renderStep('{{ h }}', 'last'),
  ];
  expect(await analyse(steps, 'flowSteps', testSandbox)).toEqual({ warnings: [], recommendations: [] });
});

test('the address of a callback in its announcement, and the inputs of a template, are no variables of the run', async () => {
  const http = { url: 'https://example.com/{{ callbackUrl }}', method: 'POST', body: '{"at": "{{ gone }}"}' };
  const wait = { type: 'wait-for-callback', name: 'Hear', config: { timeoutMinutes: 5, announce: { http } } };
  const inputs = { who: '{{ _record.name }}' };
  const greet = { type: 'template', name: 'Greet', config: { template: 'Hi {{ who }}', inputs } };
  const late = renderStep('{{ callbackUrl }} {{ who }}', 'last');
  expect(await warnings(wait, greet, late)).toEqual([
    'UNKNOWN_VARIABLE flowSteps.0.config.announce.http.body gone',
    'UNKNOWN_VARIABLE flowSteps.2.config.template callbackUrl',
    'UNKNOWN_VARIABLE flowSteps.2.config.template who',
  ]);
});

test('the JSON Schema of a response reads no variable', async () => {
  const schema = { type: 'object', properties: { title: { type: 'string' } } };
  const responseFormat = { type: 'json', schema };
  const step = prompt('Answer', { model: 'gpt-4o-mini', outputVariable: 'a', responseFormat });
  expect(await warnings(step, renderStep('{{ a.title }}'))).toEqual([]);
});

test.each<[object, string]>([
  [renderStep('{{ gone }}'), 'config.template'],
  [renderStep('{{ "x" | append: gone }}'), 'config.template'],
  [renderStep('{% if gone == 1 %}{% endif %}'), 'config.template'],
  [renderStep('{% for x in gone %}{{ x }}{% endfor %}'), 'config.template'],
  [transform('return gone'), 'config.script'],
  [transform('gone.map((x) => x)'), 'config.script'],
  [transform('return variables.gone'), 'config.script'],
  [transform('return input["gone"]'), 'config.script'],
  [transform('class A { static { gone() } }'), 'config.script'],
  [transform('return { gone }'), 'config.script'],
  [transform(`return \`\${gone}\``), 'config.script'],
  [transform('function f(a = gone) { return a } return f()'), 'config.script'],
  [
    {
      ...transform('return gone as string'),
      config: { script: 'return gone as string', language: 'typescript' },
    },
    'config.script',
  ],
  [{ ...renderStep('x'), when: 'gone > 1' }, 'when'],
  [condition('gone', [renderStep('x')]), 'config.condition'],
  [setVariable('a', { deep: [1, { er: '{{ gone }}' }] }), 'config.value.deep.1.er'],
  [
    {
      type: 'api-call',
      name: 'a',
      config: { http: { url: 'https://example.com', headers: { 'X-A': '{{ gone }}' } } },
    },
    'config.http.headers.X-A',
  ],
  [
    {
      type: 'api-call',
      name: 'a',
      config: { http: { url: 'x' }, auth: { type: 'bearer', token: '{{ gone }}' } },
    },
    'config.auth.token',
  ],
  [
    { type: 'upsert-record', name: 'u', config: { recordType: 't', sourceVariable: 'gone.inside[0]' } },
    'config.sourceVariable',
  ],
  [
    {
      type: 'retrieve-record',
      name: 'r',
      config: {
        recordFilter: {
          type: 't',
          where: { op: 'and', conditions: [{ field: 'a', op: 'eq', value: '{{ gone }}' }] },
        },
      },
    },
    'config.recordFilter.where.conditions.0.value',
  ],
  [
    {
      type: 'send-email',
      name: 'm',
      config: { from: 'a@b.example', to: ['{{ gone }}'], subject: 's', text: 't' },
    },
    'config.to.0',
  ],
])('%j reads a variable that no step sets', async (step, path) => {
  expect(await warnings(step)).toEqual([`UNKNOWN_VARIABLE flowSteps.0.${path} gone`]);
});

test.each([
  transform('return typeof gone === "string" ? 1 : 2'),
  transform('const gone = 1; return gone'),
  transform('try { } catch (gone) { return gone.message }'),
  transform('return ((gone) => gone)(1)'),
  transform('return new Map([[Math.PI, JSON.stringify(undefined)]])'),
  renderStep('{% assign gone = 1 %}{{ gone }}'),
  renderStep('{% raw %}{{ gone }}{% endraw %}'),
  renderStep('no {{"gone"}}'),
  {
    type: 'upsert-record',
    name: '{{ gone }}',
    config: { recordType: '{{ gone }}', sourceVariable: '_record' },
  },
])('%j does not read it', async (step) => {
  expect(await warnings(step)).toEqual([]);
});

test('a variable set later, or in the other branch, is not set yet', async () => {
  expect(await warnings(renderStep('{{ a }}'), renderStep('x', 'a'), renderStep('{{ a }}'))).toEqual([
    'VARIABLE_USED_BEFORE_SET flowSteps.0.config.template a',
  ]);
  const branches = condition(
    '_record.x',
    [renderStep('x', 'a'), renderStep('{{ a }}')],
    [renderStep('{{ a }}')],
  );
  expect(await warnings(branches, renderStep('{{ a }}'))).toEqual([
    'VARIABLE_USED_BEFORE_SET flowSteps.0.config.falseSteps.0.config.template a',
  ]);
});

test('steps are analysed in execution order and reported at their position', async () => {
  const [late, early] = [renderStep('{{ a }}'), renderStep('x', 'a')];
  expect(await warnings({ ...late, order: 2 }, { ...early, order: 1 })).toEqual([]);
  const { warnings: found } = await analyse(
    [
      { ...late, order: 1 },
      { ...early, order: 2 },
    ],
    'steps',
    testSandbox,
  );
  expect(found).toEqual([
    {
      code: 'VARIABLE_USED_BEFORE_SET',
      message: 'a is not set yet: the step "x" sets it later or in another branch',
      path: 'steps.0.config.template',
      step: { index: 0, name: '{{ a }}', type: 'template' },
      details: { variable: 'a' },
    },
  ]);
});

test('nested steps are reported by their full path and the index of the top-level step', async () => {
  const deep = condition('_record.a', [condition('_record.b', [], [renderStep('{{ gone }}')])]);
  const { warnings: found } = await analyse([renderStep('x'), deep], 'flowSteps', testSandbox);
  expect(found).toMatchObject([
    {
      path: 'flowSteps.1.config.trueSteps.0.config.falseSteps.0.config.template',
      step: { index: 1, name: '{{ gone }}', type: 'template' },
    },
  ]);
});

test.each([
  ['false', 'trueSteps'],
  ['1 > 2', 'trueSteps'],
  ["!'text'", 'trueSteps'],
  ['null ?? 0', 'trueSteps'],
  ['_record.x && false', 'trueSteps'],
  ['typeof x === "y" && 0', 'trueSteps'],
  ['undefined', 'trueSteps'],
  ['-0 || NaN', 'trueSteps'],
  ['true', 'falseSteps'],
  ["'a' + 'b' === 'ab'", 'falseSteps'],
  ['_record.x || 1', 'falseSteps'],
  ['[]', 'falseSteps'],
  ['!(2 * 2 !== 4) ? {} : _record.x', 'falseSteps'],
])('%j makes %s unreachable', async (expression, branch) => {
  const step = condition(expression, [renderStep('{{ gone }}', 'a')], [renderStep('{{ gone }}', 'a')]);
  const other = branch === 'trueSteps' ? 'falseSteps' : 'trueSteps';
  expect((await warnings(step)).filter((each) => !each.endsWith(' x'))).toEqual([
    `UNREACHABLE_BRANCH flowSteps.0.config.${branch}`,
    `UNKNOWN_VARIABLE flowSteps.0.config.${other}.0.config.template gone`,
  ]);
});

test.each([
  '_record.x',
  '1n > 2n',
  '_record.x || false',
  '[] == false',
  'Math.random() > 2',
  '(() => false)()',
  '_record.x ?? false',
])('%j depends on the variables', async (expression) => {
  expect(await warnings(condition(expression, [renderStep('a')], [renderStep('b')]))).toEqual([]);
});

test('a step that is disabled, or whose condition is always false, never runs and sets nothing', async () => {
  const off = { ...renderStep('{{ gone }}', 'a'), enabled: false };
  const never = { ...condition('_record.x', [renderStep('{{ gone }}', 'b')]), when: '1 === 2' };
  expect(await warnings(off, never, renderStep('{{ a }}{{ b }}'))).toEqual([
    'UNREACHABLE_STEP flowSteps.0.enabled',
    'UNREACHABLE_STEP flowSteps.1.when',
    'UNKNOWN_VARIABLE flowSteps.2.config.template a',
    'UNKNOWN_VARIABLE flowSteps.2.config.template b',
  ]);
});

test('reports an output that is overwritten before it is read', async () => {
  const lost = 'OUTPUT_OVERWRITTEN flowSteps.0.config.outputVariable a';
  const [one, two, reads] = [renderStep('1', 'a'), renderStep('2', 'a'), renderStep('{{ a }}')];
  expect(await warnings(one, two, reads)).toEqual([lost]);
  expect(await warnings(one, reads, two, reads)).toEqual([]);
  expect(await warnings(one, renderStep('{{ a }}', 'a'), reads)).toEqual([]);
  expect(await warnings(one, { ...two, when: '_record.x' }, reads)).toEqual([]);
  expect(await warnings(one, condition('_record.x', [two]), reads)).toEqual([]);
  expect(await warnings(condition('_record.x', [one], [two]), reads)).toEqual([]);
  expect(await warnings(condition('_record.x', [one]), two, reads)).toEqual([
    'OUTPUT_OVERWRITTEN flowSteps.0.config.trueSteps.0.config.outputVariable a',
  ]);
  expect(await warnings(one, transform('JSON.stringify(variables)'), two, reads)).toEqual([]);
  expect(await warnings(setVariable('a', 1), two, reads)).toEqual([
    'OUTPUT_OVERWRITTEN flowSteps.0.config.variableName a',
  ]);
});

test('reports an output that no step reads, unless the flow ends with it or a script may read any', async () => {
  const unused = 'UNUSED_OUTPUT flowSteps.0.config.outputVariable a';
  expect(await recommendations(renderStep('1', 'a'), renderStep('2', 'b'))).toEqual([unused]);
  expect(await recommendations(renderStep('1', 'a'), transform('globalThis[variables.x]', 'b'))).toEqual([]);
  expect(await recommendations(renderStep('1', 'a'), transform('return Object.keys(input)', 'b'))).toEqual(
    [],
  );
  expect(await recommendations(renderStep('1', 'a'), condition('_record.x', [renderStep('2', 'b')]))).toEqual(
    [unused],
  );
});

test.each([
  [{ model: 'gpt-of-nobody' }, 'config.model gpt-of-nobody'],
  [{ model: 'nobody/gpt-4.1' }, 'config.model nobody/gpt-4.1'],
  [{ model: 'openai/gpt-of-nobody' }, 'config.model openai/gpt-of-nobody'],
  [
    {
      model: 'gpt-4.1-nano',
      errorHandling: {
        onError: 'fallback',
        fallbacks: [{ type: 'retry' }, { type: 'model', model: 'none-of-these' }],
      },
    },
    'config.errorHandling.fallbacks.1.model none-of-these',
  ],
])('%j references an unknown model', async (config, place) => {
  expect(await warnings(prompt('x', config))).toEqual([`UNKNOWN_MODEL flowSteps.0.${place}`]);
});

test.each([
  'gpt-4.1-nano',
  'openai/gpt-4.1',
  'anthropic/claude-haiku-4-5-20251001',
  'default',
  `modelcfg_${'0'.repeat(26)}`,
  'Qwen/Qwen3.5-9B',
  'generic-openai/anything:8b',
])('%s is known, or may be', async (model) => {
  expect(await warnings(prompt('x', { model }))).toEqual([]);
});

test('a step with effects should have error handling, and a prompt an output variable', async () => {
  const model = 'gpt-4.1-nano';
  const handled = { errorHandling: { onError: 'continue' } };
  expect(await recommendations(prompt('x', { model }), renderStep('y'))).toEqual([
    'OUTPUT_NOT_KEPT flowSteps.0.config.outputVariable',
    'NO_ERROR_HANDLING flowSteps.0.config.errorHandling',
  ]);
  expect(await recommendations(renderStep('y'), prompt('x', { model, ...handled }))).toEqual([]);
});

test('invalid parts of a flow are skipped', async () => {
  const broken = [
    null,
    5,
    {},
    { type: 'nope' },
    { type: 'template', config: 'x' },
    { type: 'template', config: { template: 5 } },
  ];
  expect(
    await warnings(
      ...(broken as object[]),
      renderStep('{{ a'),
      transform('return ('),
      renderStep('{{ gone }}'),
    ),
  ).toEqual(['UNKNOWN_VARIABLE flowSteps.8.config.template gone']);
  expect(await analyse('no list', 'flowSteps', testSandbox)).toEqual({ warnings: [], recommendations: [] });
});

test('the analysis runs neither templates nor scripts', async () => {
  const [forever, throws] = ['while (true) {}', 'throw new Error("ran")'];
  const { warnings: found } = await analyse(
    [
      transform(`${forever} return 1`),
      transform(throws),
      condition('(() => { for (;;); })()', [renderStep('x')]),
    ],
    'flowSteps',
    testSandbox,
  );
  expect(found).toEqual([]);
});

test('long texts, and those beyond the total limit, are reported as not analysed', async () => {
  const long = renderStep(`{{ gone }}${'x'.repeat(20_000)}`);
  expect(await warnings(long, renderStep('{{ gone }}'))).toEqual([
    'NOT_ANALYSED flowSteps.0',
    'UNKNOWN_VARIABLE flowSteps.1.config.template gone',
  ]);
  const many = Array.from({ length: 14 }, () => renderStep(`{{ _record.x }}${'x'.repeat(19_000)}`));
  expect(await warnings(...many)).toEqual(['NOT_ANALYSED flowSteps.13']);
});

test('beyond a thousand findings only their number is reported', async () => {
  const names = Array.from({ length: 1_500 }, (_, n) => `{{ v${n} }}`).join('');
  const found = (await analyse([{ ...renderStep(names), name: 'step' }], 'flowSteps', testSandbox)).warnings;
  expect(found).toHaveLength(1_001);
  expect(found.at(-1)).toMatchObject({ code: 'MORE_FINDINGS', message: '500 more findings are not listed' });
});
