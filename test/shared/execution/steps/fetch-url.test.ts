import { beforeEach, expect, test, vi } from 'vitest';
import { SandboxError } from '../../../../shared/adapters/sandbox/sandbox.ts';
import { stepFailure } from '../../../support/flows/failure-of.ts';
import { html, jsonWebAnswer, type WebAnswer, web } from '../../../support/servers/web.ts';
import { configProblems, runStep } from './run-step.ts';

beforeEach(() => {
  vi.unstubAllEnvs();
});

/** What the step makes of an answer. */
async function fetched(answer: WebAnswer, responseType?: string) {
  const { url } = await web(() => answer);
  const config = { http: { url }, ...(responseType && { responseType }) };
  return (await runStep('fetch-url', config)).output;
}

const page = `<!doctype html><html><head><title>Airports</title><style>p { color: red }</style></head><body>
  <nav><a href="/">Home</a></nav><script>track()</script>
  <main><h1>Hawaii</h1><p>See <a href="hnl?a=1&amp;b=2">Honolulu</a>.</p>
  <table><tr><th>Code</th><th>City</th></tr><tr><td>HNL</td><td>Honolulu</td></tr></table></main>
  <footer>© 2026</footer></body></html>`;

test.each<[string, WebAnswer, unknown]>([
  ['JSON becomes its value', jsonWebAnswer({ a: [1] }), { a: [1] }],
  ['JSON null is null', jsonWebAnswer(null), null],
  ['a dialect of JSON too', jsonWebAnswer([1], { type: 'application/ld+json; charset=utf-8' }), [1]],
  ['what only says that it is JSON stays text', { type: 'application/json', body: '{"a":' }, '{"a":'],
  ['a page becomes markdown', html('<h1>Hi</h1><p>a <b>b</b>'), '# Hi\n\na **b**'],
  ['a page of no declared type too', { body: '<!DOCTYPE html><p>x</p>' }, 'x'],
  ['XML stays text', { type: 'application/rss+xml', body: '<rss>' }, '<rss>'],
  ['text stays text', { type: 'text/plain', body: ' 1,2\n' }, ' 1,2\n'],
  ['an empty answer is an empty text', {}, ''],
])('without a responseType, %s', async (_name, answer, output) => {
  expect(await fetched(answer)).toEqual(output);
});

test.each<[string, WebAnswer, unknown]>([
  ['json', { type: 'text/plain', body: '{"a":1}' }, { a: 1 }],
  ['text', jsonWebAnswer({ a: 1 }), '{"a":1}'],
  ['text', html('<p>a'), '<p>a'],
  ['html', html('<p>a'), '<p>a'],
  [
    'xml',
    { type: 'text/plain', body: '<?xml version="1.0"?><a b="c">&amp;<d/></a>' },
    expect.stringMatching(/^<\?xml/),
  ],
  ['markdown', html('<ul><li>a</ul>'), '- a'],
  ['markdown', { type: 'text/markdown', body: '# *a*' }, '# *a*'],
])('as %s of %j', async (responseType, answer, output) => {
  expect(await fetched(answer, responseType)).toEqual(output);
});

test.each<[SandboxError['reason'], string]>([
  ['time', 'takes too long to read'],
  ['memory', 'takes too much memory to read'],
  ['broken', 'nests too deeply to read'],
])('a page over the limit of %s fails the step with that message', async (reason, words) => {
  const { url } = await web(() => html('<p>a'));
  const sandbox = async () => {
    throw new SandboxError(reason);
  };
  const failure = await stepFailure(runStep('fetch-url', { http: { url } }, { ports: { sandbox } }));
  expect(failure).toMatchObject({ message: expect.stringMatching(`^${url}.* ${words}$`), retryable: false });
});

test('a page is returned without scripts, styles and navigation, with tables and absolute links', async () => {
  const { url } = await web(({ path }) =>
    path === '/old' ? { status: 302, headers: { location: '/hi/' } } : html(page),
  );
  const { output } = await runStep('fetch-url', { http: { url: `${url}/old` } });
  expect(output).toBe(
    `# Hawaii\n\nSee [Honolulu](${url}/hi/hnl?a=1&b=2).\n\n| Code | City |\n| --- | --- |\n| HNL | Honolulu |`,
  );
});

test('a page is decoded by the charset that it declares', async () => {
  const body = Buffer.from('<meta charset="iso-8859-1"><p>Kāneʻohe é', 'latin1');
  expect(await fetched({ type: 'text/html', body })).toContain('é');
});

test.each([
  ['json', { body: 'oops' }, 'did not return JSON: "oops"'],
  ['xml', { body: '<a><b></a>' }, 'did not return well-formed XML: 1:10: unexpected close tag'],
  ['xml', { body: '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>' }, 'undefined entity'],
  ['text', { type: 'image/png', body: new Uint8Array([1, 0, 2]) }, 'returned image/png, which is not text'],
  ['markdown', { body: new Uint8Array([1, 0, 2]) }, 'returned bytes, which is not text'],
  [
    undefined,
    { type: 'application/pdf', body: new Uint8Array([37, 0]) },
    'application/pdf, which is not text',
  ],
] as const)('as %s of %j it fails for good', async (responseType, answer, message) => {
  expect(await stepFailure(fetched(answer, responseType))).toMatchObject({
    message: expect.stringContaining(message),
    retryable: false,
  });
});

test.each([
  [404, false],
  [401, false],
  [429, true],
  [500, true],
  [503, true],
])(
  'a %i fails the step with the address, the status and the start of the body',
  async (status, retryable) => {
    const { url } = await web(() => ({ status, body: 'x'.repeat(1_000) }));
    expect(await stepFailure(runStep('fetch-url', { http: { url } }))).toMatchObject({
      message: `${url}/ answered ${status}: ${'x'.repeat(300)}`,
      retryable,
    });
  },
);

test('sends the rendered method, headers and body', async () => {
  const { url, asked } = await web(() => jsonWebAnswer({}));
  const http = {
    url: `${url}/{{ id }}`,
    method: 'POST',
    headers: { 'X-A': '{{ id }}' },
    body: { n: '{{ id }}' },
  };
  await runStep('fetch-url', { http }, { variables: { id: 7 } });
  expect(asked).toMatchObject([
    {
      method: 'POST',
      path: '/7',
      body: '{"n":7}',
      headers: { 'x-a': '7', 'content-type': 'application/json' },
    },
  ]);
});

test('more than 5 MB are rejected', async () => {
  expect(await stepFailure(fetched({ body: 'x'.repeat(5_000_001) }))).toMatchObject({
    message: expect.stringContaining('more than 5000000 bytes'),
    retryable: false,
  });
});

test('a private address is rejected, also from a variable', async () => {
  const running = runStep(
    'fetch-url',
    { http: { url: '{{ u }}' } },
    { variables: { u: 'http://10.0.0.1/' } },
  );
  expect((await stepFailure(running)).message).toBe(
    '10.0.0.1 is not a public address and may not be reached',
  );
});

test.each([
  [{}, expect.stringContaining('http: ')],
  [
    { http: { url: 'https://a', body: 'x' } },
    'http.body: A GET request has no body; remove it or choose another method',
  ],
  [{ http: { url: '{{ a' } }, expect.stringContaining('http.url: ')],
  [{ http: { url: 'https://a' }, responseType: 'yaml' }, expect.stringContaining('responseType: ')],
  [{ http: { url: 'https://a' }, auth: {} }, expect.stringContaining('Unrecognized key: "auth"')],
])('%j is rejected', async (config, problem) => {
  expect(await configProblems('fetch-url', config)).toEqual([problem]);
});

test.each(['fetch-url', 'api-call'])(
  'a page of %s with a letter that was cut is read, with a warning',
  async (type) => {
    const body = Buffer.concat([Buffer.from('Zürich, Große Straße, M'), Buffer.from([0xc3])]);
    const { url } = await web(() => ({ type: 'text/plain', body }));
    const { output, warnings } = await runStep(type, { http: { url, method: 'GET' } });
    expect(JSON.stringify(output)).toContain('Zürich, Große Straße, M\uFFFD');
    const message = `The text of ${url}/ contains bytes that are not utf-8, which were replaced by \uFFFD`;
    expect(warnings).toEqual([{ code: 'TEXT_ENCODING', message, count: 1 }]);
  },
);
