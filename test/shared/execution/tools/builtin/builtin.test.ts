import { beforeEach, expect, test, vi } from 'vitest';
import { providerKeys } from '../../../../../shared/adapters/models/providers/provider-keys.ts';
import type { Ports } from '../../../../../shared/adapters/ports/ports.ts';
import type { FlowRecord } from '../../../../../shared/adapters/ports/records-port.ts';
import { searchAccount as accountOf } from '../../../../../shared/adapters/web/search-account.ts';
import { html, jsonWebAnswer, web } from '../../../../support/servers/web.ts';
import { emptyWorld } from '../../../../support/stack/ports.ts';
import { runBuiltin, stepFailureMessage } from '../run-tool.ts';

beforeEach(() => {
  vi.unstubAllEnvs();
  for (const name of ['EXA', 'TAVILY', 'BRAVE']) vi.stubEnv(`${name}_API_KEY`, '');
});

const searchAccount: Ports['searchAccount'] = async (provider) => accountOf(provider, await providerKeys());

test('web-search uses the first configured service, or the one that is asked for', async () => {
  expect(await stepFailureMessage(runBuiltin('web-search', { query: 'x' }, { searchAccount }))).toContain(
    'let the deployment set one of EXA_API_KEY, TAVILY_API_KEY, BRAVE_API_KEY',
  );
  const { url, asked } = await web(() =>
    jsonWebAnswer({ results: [{ title: 'T', url: 'https://a/1', content: 'C', score: 1 }] }),
  );
  vi.stubEnv('TAVILY_API_KEY', 'key-5ecret');
  vi.stubEnv('TAVILY_BASE_URL', url);
  const found = await runBuiltin('web-search', { query: ' weather ', maxResults: 3 }, { searchAccount });
  expect(found).toEqual([{ title: 'T', url: 'https://a/1', snippet: 'C' }]);
  expect(JSON.parse(asked[0]?.body ?? '')).toMatchObject({ query: 'weather', max_results: 3 });
  const exa = runBuiltin('web-search', { query: 'x', service: 'exa' }, { searchAccount });
  expect(await stepFailureMessage(exa)).toContain('EXA_API_KEY');
  expect(await stepFailureMessage(runBuiltin('web-search', { query: ' ' }, { searchAccount }))).toContain(
    'blank',
  );
});

test('fetch-url: HTML becomes Markdown, JSON a value; long text is cut', async () => {
  const { url } = await web(({ path }) =>
    path === '/json' ? jsonWebAnswer({ a: 1 }) : html(`<h1>Title</h1><p>${'word '.repeat(100)}</p>`),
  );
  expect(await runBuiltin('fetch-url', { url: `${url}/json` })).toMatchObject({
    content: { a: 1 },
    truncated: false,
  });
  const cut = await runBuiltin('fetch-url', { url: `${url}/`, maxCharacters: 20 });
  expect(cut).toMatchObject({ content: '# Title\n\nword word w', truncated: true });
  expect(await runBuiltin('fetch-url', { url: `${url}/json`, format: 'text' })).toMatchObject({
    content: '{"a":1}',
  });
});

test.each([
  ['http://169.254.169.254/latest/meta-data', 'not a public address'],
  ['http://10.0.0.1/', 'not a public address'],
  ['file:///etc/passwd', 'do not fit'],
])('fetch-url refuses %s', async (url, message) => {
  expect(await stepFailureMessage(runBuiltin('fetch-url', { url }))).toContain(message);
});

test('fetch-url refuses a redirect to a private address, an error status and 50 MB', async () => {
  const { url } = await web(({ path }) => {
    if (path === '/away') return { status: 302, headers: { location: 'http://10.0.0.1/' } };
    if (path === '/large') return { type: 'text/plain', body: Buffer.alloc(50_000_000, 'a') };
    return { status: 503, body: 'Later' };
  });
  const failing = (path: string) => stepFailureMessage(runBuiltin('fetch-url', { url: url + path }));
  expect(await failing('/away')).toContain('not a public address');
  expect(await failing('/large')).toMatch(/5,?000,?000|5 MB/);
  expect(await failing('/')).toContain('answered 503: Later');
});

test('the arguments of a built-in tool need no thread unless they are wrong', async () => {
  const sandbox = vi.fn(emptyWorld.sandbox);
  const ports = { sandbox: sandbox as Ports['sandbox'] };
  expect(await runBuiltin('calculator', { expression: '6 * 7' }, ports)).toMatchObject({ result: '42' });
  expect(sandbox).not.toHaveBeenCalled();
  expect(await stepFailureMessage(runBuiltin('calculator', { expression: 42, more: 1 }, ports))).toBe(
    'The arguments do not fit the tool calculator: more: The schema has no such member; expression: Expected string',
  );
});

test('code-sandbox: the code reads `input`; an endless one ends', async () => {
  expect(await runBuiltin('code-sandbox', { code: 'input.a * 2', input: { a: 21 } })).toBe(42);
  expect(await runBuiltin('code-sandbox', { code: 'const [x] = input; return x', input: ['y'] })).toBe('y');
  const typed = { code: 'const n: number = 1; return n', language: 'typescript' };
  expect(await runBuiltin('code-sandbox', typed)).toBe(1);
  expect(await stepFailureMessage(runBuiltin('code-sandbox', { code: 'for(;;);', timeoutMs: 50 }))).toContain(
    '50 ms',
  );
});

test('json-query selects by JSONPath, in values and in JSON text', async () => {
  const data = {
    items: [
      { n: 'a', price: 5 },
      { n: 'b', price: 15 },
      { n: 'c', price: 1 },
    ],
  };
  const query = '$.items[?@.price < 10].n';
  const expected = { values: ['a', 'c'], count: 2, truncated: false };
  expect(await runBuiltin('json-query', { data, query })).toEqual(expected);
  expect(await runBuiltin('json-query', { data: JSON.stringify(data), query, limit: 1 })).toEqual({
    values: ['a'],
    count: 2,
    truncated: true,
  });
  expect(await stepFailureMessage(runBuiltin('json-query', { data, query: '$.items[' }))).toContain(
    'cannot be read',
  );
});

const orders = [
  { id: 1, open: true, eur: 50, to: 'DE' },
  { id: 2, open: true, eur: 50, to: 'FR' },
  { id: 3, open: true, eur: 5, to: 'DE' },
  { id: 4, open: false, eur: 50, to: 'DE' },
];

test.each([
  ['$[?@.open == true && @.eur > 10 && @.to == "DE"]', [1]],
  ['$[?(@.open == true && @.eur > 10 && @.to == "DE")]', [1]],
  ['$[?@.id == 1 || @.id == 2 || @.id == 3 || @.id == 4]', [1, 2, 3, 4]],
  ['$[?@.open == true && @.eur > 10 && @.to == "DE" || @.id == 4]', [1, 4]],
  ['$[?@.open == true && (@.eur > 10 || @.to == "FR") && !(@.to == "DE")]', [2]],
  ['$[?length(@.to) == 2 && match(@.to, "D.") && @.eur <= 5]', [3]],
  ['$[-1, 0]', [4, 1]],
])('json-query applies every condition and selector: %s', async (query, ids) => {
  const found = await runBuiltin('json-query', { data: orders, query });
  expect(found).toMatchObject({ values: ids.map((id) => orders.find((order) => order.id === id)) });
});

test('json-query goes down to the last level of JSON', async () => {
  let data: unknown = { a: 1 };
  for (let level = 0; level < 60; level++) data = { b: data };
  expect(await runBuiltin('json-query', { data, query: '$..a' })).toMatchObject({ values: [1] });
});

test.each([
  ['$[?count(1) > 2]', 'count() argument 0 must be of NodesType (at character 10)'],
  ['$[?length(@.a)]', 'result of length() must be compared (at character 4)'],
  ['$[?match(@.to) == true]', 'match() takes 2 arguments, 1 given (at character 4)'],
  ['$[?@.a = 1]', "unexpected filter selector token '=' (at character 8)"],
  ['$.a b', "found 'b' (at character 5)"],
  ['$[01]', 'at character 3'],
  ['$[?@.a == $..b]', 'at character'],
  ['items', "expected '$'"],
])('json-query refuses a query that is not valid, and says where: %s', async (query, problem) => {
  expect(await stepFailureMessage(runBuiltin('json-query', { data: orders, query }))).toContain(problem);
});

test('json-query: a query that takes too long ends', async () => {
  const data = Array.from({ length: 30 }, () => ({ text: `${'a'.repeat(40)}!` }));
  const query = '$[?match(@.text, "(a+)+b")]';
  expect(await stepFailureMessage(runBuiltin('json-query', { data, query }))).toContain('takes too long');
});

const record: FlowRecord = {
  id: 'record_1',
  type: 'city',
  name: 'Oslo',
  metadata: { size: 7, secret: 'x' },
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
};

test('record-search returns the asked fields of the newest matches', async () => {
  const asked: unknown[] = [];
  const records: Ports['records'] = {
    ...emptyWorld.records,
    async search(query) {
      asked.push(query);
      return { records: [record], hasMore: true };
    },
  };
  const where = { field: 'size', op: 'gt', value: 5 };
  const args = { type: 'city', where, fields: ['size', 'missing', '__proto__'] };
  expect(await runBuiltin('record-search', args, { records })).toEqual({
    records: [{ ...record, metadata: { size: 7 } }],
    hasMore: true,
  });
  expect(asked).toEqual([{ type: 'city', where, limit: 10 }]);
  const wrong = { type: 'city', where: { field: 'size', op: 'near', value: 5 } };
  expect(await stepFailureMessage(runBuiltin('record-search', wrong, { records }))).toContain('do not fit');
});

test('record-upsert replaces the metadata, or merges it', async () => {
  const written: unknown[] = [];
  const records: Ports['records'] = {
    ...emptyWorld.records,
    async upsert(given) {
      written.push(['upsert', given]);
      return { id: 'record_1' };
    },
    async update(selector, updates, strategy) {
      written.push(['update', selector, updates, strategy]);
      return 'name' in selector && selector.name === 'Oslo' ? record : undefined;
    },
  };
  const args = { type: 'city', name: 'Oslo', metadata: { a: 1 } };
  expect(await runBuiltin('record-upsert', args, { records })).toEqual({ id: 'record_1', ...args });
  const merged = await runBuiltin('record-upsert', { ...args, strategy: 'merge' }, { records });
  expect(merged).toMatchObject({ metadata: record.metadata });
  await runBuiltin('record-upsert', { ...args, name: 'New', strategy: 'merge' }, { records });
  const pair = { type: 'city', name: 'Oslo' };
  expect(written).toEqual([
    ['upsert', args],
    ['update', pair, { a: 1 }, 'merge'],
    ['update', { ...pair, name: 'New' }, { a: 1 }, 'merge'],
    ['upsert', { ...args, name: 'New' }],
  ]);
});

test('vector-search embeds the query and applies the threshold', async () => {
  const ports: Partial<Ports> = {
    embed: async ({ model, texts }) => ({
      vectors: [[texts[0]?.length ?? 0]],
      modelUsed: model,
      promptTokens: 1,
      estimatedCost: null,
      provider: 'openai',
      model,
      keySource: 'platform' as const,
    }),
    vectors: {
      ...emptyWorld.vectors,
      query: async (collection, vector, limit) => [
        { id: `${collection} ${vector} ${limit}`, score: 0.9, metadata: {} },
        { id: 'far', score: 0.1, metadata: {} },
      ],
    },
  };
  const args = { collection: 'c', query: 'four', embeddingModel: 'm', threshold: 0.5 };
  expect(await runBuiltin('vector-search', args, ports)).toEqual({
    matches: [{ id: 'c 4 10', score: 0.9, metadata: {} }],
  });
});

test('send-email sends what it is given, and refuses what cannot be sent', async () => {
  const sent: unknown[] = [];
  const messages: Ports['messages'] = {
    ...emptyWorld.messages,
    async email(message) {
      sent.push(message);
      return { messageId: 'm1' };
    },
  };
  const email = {
    from: 'Us <us@example.com>',
    to: ['a@example.com, b@example.com'],
    subject: 'Hi',
    text: '{{ x }}',
  };
  expect(await runBuiltin('send-email', email, { messages })).toEqual({ messageId: 'm1' });
  expect(sent).toMatchObject([{ to: ['a@example.com', 'b@example.com'], text: '{{ x }}', html: '' }]);
  const failing = (change: object) =>
    stepFailureMessage(runBuiltin('send-email', { ...email, ...change }, { messages }));
  expect(await failing({ subject: 'a\nBcc: x@example.com' })).toContain('one line');
  expect(await failing({ to: ['nobody'] })).toContain('to: ');
  expect(await failing({ text: ' ' })).toContain('no body');
  expect(await failing({ to: Array(51).fill('a@example.com') })).toContain('do not fit');
  expect(sent).toHaveLength(1);
});
