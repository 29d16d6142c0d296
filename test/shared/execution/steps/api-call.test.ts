import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { beforeEach, expect, test, vi } from 'vitest';
import { stepFailure } from '../../../support/flows/failure-of.ts';
import { loopback } from '../../../support/servers/loopback.ts';
import { configProblems, runStep } from './run-step.ts';

interface Seen {
  method: string | undefined;
  url: string | undefined;
  headers: IncomingMessage['headers'];
  body: string;
}

/** An API on the loopback that may be reached, and what it was sent. */
async function api(answer: (response: ServerResponse) => void) {
  const seen: Seen[] = [];
  const { host, url } = await loopback(async (request, response) => {
    const { method, url, headers } = request;
    seen.push({ method, url, headers, body: await text(request) });
    answer(response);
  });
  vi.stubEnv('ALLOWED_HOSTS', host);
  return { url, seen };
}

const json =
  (value: unknown, status = 200) =>
  (response: ServerResponse) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));

beforeEach(() => {
  vi.unstubAllEnvs();
});

const variables = { id: 7, item: { tags: ['a'] }, key: 's3cret' };

test('sends the rendered request and returns status, headers and parsed body', async () => {
  const { url, seen } = await api(json({ ok: true }, 201));
  const http = {
    url: `${url}/items/{{ id }}`,
    method: 'PUT',
    headers: { 'X-Trace': 't-{{ id }}' },
    body: { id: '{{ id }}', tags: '{{ item.tags }}', note: 'no. {{ id }}' },
  };
  const { output } = await runStep(
    'api-call',
    { http, auth: { type: 'bearer', token: '{{ key }}' } },
    { variables },
  );
  expect(output).toMatchObject({
    status: 201,
    headers: { 'content-type': 'application/json' },
    body: { ok: true },
  });
  expect(seen).toMatchObject([
    {
      method: 'PUT',
      url: '/items/7',
      headers: { 'x-trace': 't-7', authorization: 'Bearer s3cret', 'content-type': 'application/json' },
      body: '{"id":7,"tags":["a"],"note":"no. 7"}',
    },
  ]);
});

test.each([
  [{ type: 'basic', username: 'u', password: '{{ key }}' }, 'authorization', `Basic ${btoa('u:s3cret')}`],
  [{ type: 'api_key', token: '{{ key }}' }, 'x-api-key', 's3cret'],
  [{ type: 'api_key', token: 'k', headerName: 'X-Mine' }, 'x-mine', 'k'],
  [{ type: 'none' }, 'authorization', undefined],
])('authenticates by %j', async (auth, header, value) => {
  const { url, seen } = await api(json({}));
  await runStep('api-call', { http: { url }, auth }, { variables });
  expect(seen[0]?.headers[header]).toBe(value);
});

test('sends the request template as the body', async () => {
  const { url, seen } = await api(json({}));
  await runStep(
    'api-call',
    { http: { url, method: 'POST' }, requestTemplate: '{"n": {{ id }}}' },
    { variables },
  );
  expect(seen[0]).toMatchObject({ body: '{"n": 7}', headers: { 'content-type': 'application/json' } });
});

const said = 'She said "yes"\nand \\ left", "admin": "true';
const typed = { 'content-type': 'application/json; charset=utf-8' };

test.each<[string, object]>([
  ['{"text":"{{ said }}"}', { text: said }],
  ['{"text":"It is {{ said | upcase -}} !"}', { text: `It is ${said.toUpperCase()}!` }],
  ['{"text":"{{ said | default: "none" }}","n":{{ n }},"big":1234567890123456789}', { text: said, n: 7 }],
  [
    '{"{{ said }}":[{% for tag in tags %}"{{ tag }}"{% unless forloop.last %},{% endunless %}{% endfor %}]}',
    { [said]: ['a"b', 'c'] },
  ],
  ['{"text":{{ said | json }},"list":"{{ tags }}"}', { text: said, list: '["a\\"b","c"]' }],
  ['{"escaped":"\\"{{ said }}\\""}', { escaped: `"${said}"` }],
  ['[{"text":"{{ said }}"}]', [{ text: said }] as object],
])('a value stays in the literal of JSON that it stands in: %s', async (requestTemplate, body) => {
  const { url, seen } = await api(json({}));
  const inputs = { said, n: 7, tags: ['a"b', 'c'] };
  await runStep('api-call', { http: { url, method: 'POST' }, requestTemplate }, { variables: inputs });
  await runStep(
    'api-call',
    { http: { url, method: 'POST', headers: typed, body: requestTemplate } },
    { variables: inputs },
  );
  expect(seen.map(({ headers }) => headers['content-type'])).toEqual([
    'application/json',
    'application/json; charset=utf-8',
  ]);
  for (const { body: sent } of seen) expect(JSON.parse(sent)).toMatchObject(body);
  if (requestTemplate.includes('big')) expect(seen[0]?.body).toContain('1234567890123456789');
});

test.each([
  ['{"text":{{ said }}}', {}],
  ['{"text":"{{ said | json }}"}', {}],
  ['{"n": {{ missing }}}', {}],
  ['{{ said }}', typed],
])('a body that variables break is not sent: %s', async (body, headers) => {
  const { url, seen } = await api(json({}));
  const { message } = await stepFailure(
    runStep('api-call', { http: { url, method: 'POST', headers, body } }, { variables: { said } }),
  );
  expect(message).toContain('Write {{ name | json }}');
  expect(message).not.toContain('yes');
  expect(seen).toEqual([]);
});

test('a body that is not meant as JSON, and one JSON a line, are sent as they are', async () => {
  const { url, seen } = await api(json({}));
  const send = (body: string, headers = {}) =>
    runStep('api-call', { http: { url, method: 'POST', headers, body } }, { variables: { said: '"a"' } });
  await send('[ALERT] {{ said }}');
  await send('{"text":"{{ said }}"}', { 'content-type': 'text/plain' });
  await send('{"index":{}}\n{"text":"{{ said }}"}\n', typed);
  expect(seen.map(({ body }) => body)).toEqual([
    '[ALERT] "a"',
    '{"text":""a""}',
    '{"index":{}}\n{"text":"\\"a\\""}\n',
  ]);
});

test('returns only what the mapping names', async () => {
  const { url } = await api(json({ data: { items: [{ id: 'a' }] } }));
  const responseMapping = {
    first: 'data.items[0].id',
    all: '$',
    gone: 'data.nothing.here',
    odd: 'constructor.name',
  };
  const { output } = await runStep('api-call', { http: { url }, responseMapping });
  expect(output).toEqual({ first: 'a', all: { data: { items: [{ id: 'a' }] } }, gone: null, odd: null });
});

test.each([
  ['application/json', '{"city":"Os', true],
  ['application/problem+json; charset=utf-8', '<html>', true],
  ['application/json', '', false],
  ['application/json-seq', '{"a":1}\n{"a":2}', false],
  ['text/plain', '{"city":"Os', false],
])('%s with the body %j is a text, and a warning: %s', async (type, body, isWarned) => {
  const { url } = await api((response) => response.setHeader('content-type', type).end(body));
  const { output, warnings } = await runStep('api-call', { http: { url } });
  expect(output).toMatchObject({ body });
  const message = expect.stringContaining(`It begins with: ${body}`);
  expect(warnings).toEqual(isWarned ? [{ code: 'NOT_JSON', message, count: 1 }] : undefined);
});

test('text stays text', async () => {
  const { url } = await api((response) => response.setHeader('content-type', 'text/plain').end('123'));
  expect(await runStep('api-call', { http: { url } })).toMatchObject({
    output: { status: 200, body: '123' },
  });
});

test.each([
  [404, false],
  [429, true],
  [503, true],
])('a %i fails the step with the status and the start of the body', async (status, retryable) => {
  const { url } = await api((response) => response.writeHead(status).end(`Sorry ${'x'.repeat(1_000)}`));
  const failure = await stepFailure(runStep('api-call', { http: { url } }));
  expect(failure).toMatchObject({
    message: `The API answered ${status}: Sorry ${'x'.repeat(294)}`,
    retryable,
  });
});

test('an answer of too many values fails the step, and a body of as many is sent as JSON', async () => {
  const many = `[${'0,'.repeat(250_000)}0]`;
  const { url, seen } = await api((response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(many),
  );
  const config = { http: { url, method: 'POST', body: '{{ many }}' } };
  const failure = await stepFailure(runStep('api-call', config, { variables: { many } }));
  expect(failure.message).toBe(
    'The API answers with more than 250000 values, each list and object with what is in it counted, or large objects with more than 50000 members. Ask for less at once',
  );
  expect(seen[0]?.headers['content-type']).toBe('application/json');
});

test('a timeout is retryable, an invalid address is not', async () => {
  const { url } = await api(() => {});
  const slow = await stepFailure(runStep('api-call', { http: { url, timeout: 100 } }));
  expect(slow).toMatchObject({ message: `${url} did not answer within 100 ms`, retryable: true });
  const gone = await stepFailure(runStep('api-call', { http: { url: url.replace(/.$/, 'x') } }));
  expect(gone).toMatchObject({ message: expect.stringContaining('Not a URL'), retryable: false });
});

test('a private address is rejected, also from a variable', async () => {
  const failure = await stepFailure(
    runStep(
      'api-call',
      { http: { url: '{{ target }}' } },
      { variables: { target: 'http://169.254.169.254/' } },
    ),
  );
  expect(failure.message).toBe('169.254.169.254 is not a public address and may not be reached');
});

const url = 'https://example.com';
test.each([
  [{ http: {} }, 'http.url: Invalid input: expected string, received undefined'],
  [{ http: { url, method: 'TRACE' } }, expect.stringContaining('http.method: Invalid option')],
  [{ http: { url, body: 'x' } }, 'http.body: A GET request has no body; remove it or choose another method'],
  [
    { http: { url, method: 'POST', body: 'x' }, requestTemplate: 'y' },
    'http.body: Give either http.body or requestTemplate',
  ],
  [{ http: { url, headers: { 'a b': 'c' } } }, expect.stringContaining('http.headers.a b: ')],
  [
    { http: { url }, auth: { type: 'bearer' } },
    'auth.token: Invalid input: expected string, received undefined',
  ],
  [{ http: { url }, auth: { type: 'oauth' } }, expect.stringContaining('auth.type: ')],
  [
    { http: { url }, errorHandling: { onError: 'fallback', fallbacks: [{ type: 'model', model: 'x' }] } },
    expect.stringContaining('errorHandling.fallbacks.0.type: '),
  ],
])('%j is rejected', async (config, problem) => {
  expect(await configProblems('api-call', config)).toEqual([problem]);
});

test.each([
  ['beyond Latin-1', 's\u00e9cret\u2603valueA42'],
  ['of a second line', 's\u00e9cret\r\nX-Other: valueA42'],
  ['of control', 's\u00e9cret\u0000valueA42'],
])(
  'a header value with characters %s is rejected with a message that does not reveal it',
  async (_what, key) => {
    const { url, seen } = await api(json({}));
    const http = { url, headers: { 'X-Key': '{{ key }}' } };
    const { message } = await stepFailure(runStep('api-call', { http }, { variables: { key } }));
    expect(message).toMatch(/^The value of the header x-key has characters that headers cannot contain/);
    expect(message).not.toMatch(/cret|valueA42|9731/);
    expect(seen).toEqual([]);
  },
);

test('a header value may have Latin-1 letters and surrounding space', async () => {
  const { url, seen } = await api(json({}));
  const http = { url, headers: { 'X-Key': '{{ key }}' } };
  await runStep('api-call', { http }, { variables: { key: ' caf\u00e9\n' } });
  expect(seen).toMatchObject([{ headers: { 'x-key': 'caf\u00e9' } }]);
});
