import { expect, test, vi } from 'vitest';
import { jsonWebAnswer, web } from '../../../../support/servers/web.ts';
import { previewTool, runTool, stepFailureMessage } from '../run-tool.ts';

const external = (config: Record<string, unknown>) => ({ toolType: 'external', config });

test('sends a request with rendered URL, headers, body and authentication', async () => {
  const { url, asked } = await web(() => jsonWebAnswer({ data: { items: [{ id: 7 }] }, more: true }));
  const tool = external({
    url: `${url}/v1/{{ kind }}?q={{ q }}`,
    method: 'POST',
    headers: { 'X-Kind': '{{ kind }}' },
    auth: { type: 'api_key', token: '{{secret:KEY}}', headerName: 'X-Key' },
    body: { all: '{{ input }}', kind: 'a {{ kind }}' },
    responseMapping: { first: 'data.items[0].id', missing: 'nothing' },
  });
  const secrets = async () => new Map([['KEY', { value: 'the-secret-value', version: '1' }]]);
  const args = { kind: 'cats & dogs', q: 'a=b&c=d#e' };
  expect(await runTool(tool, args, { secrets })).toEqual({ first: 7, missing: null });
  expect(asked).toMatchObject([
    {
      method: 'POST',
      path: '/v1/cats%20%26%20dogs?q=a%3Db%26c%3Dd%23e',
      headers: { 'x-kind': 'cats & dogs', 'x-key': 'the-secret-value' },
    },
  ]);
  expect(JSON.parse(asked[0]?.body ?? '')).toEqual({ all: args, kind: 'a cats & dogs' });
});

const urlOf = async (url: string, args: object) =>
  ((await previewTool(external({ url }), args)) as { url: string }).url;

test.each([
  [
    'https://api.example/{{ id }}',
    { id: '../../admin?x=1#y' },
    'https://api.example/..%2F..%2Fadmin%3Fx%3D1%23y',
  ],
  ['https://api.example/{{ id }}', { id: '@evil.example/' }, 'https://api.example/%40evil.example%2F'],
  [
    'https://api.example/{{ id }}',
    { id: '{{ secrets.KEY }}' },
    'https://api.example/%7B%7B%20secrets.KEY%20%7D%7D',
  ],
  ['https://api.example?f={{ filter.a }}', { filter: { a: 'x&y' } }, 'https://api.example?f=x%26y'],
  ['https://api.example/{{ path | url_decode }}', { path: 'a/b' }, 'https://api.example/a/b'],
  ['https://{{ host }}/x', { host: 'other.example' }, 'https://other.example/x'],
  ['{{ url }}', { url: 'https://other.example/?a=b' }, 'https://other.example/?a=b'],
  ['https://api.example{{ suffix }}/x', { suffix: '.other.example' }, 'https://api.example.other.example/x'],
])('arguments in the URL %s with %j give %s', async (template, args, expected) => {
  expect(await urlOf(template, args)).toBe(expected);
});

test.each(['..', '.', '%2e%2E'])('an argument that leads out of the path is refused: %s', async (id) => {
  const encoded = id.includes('%')
    ? `https://api.example/a/{{ id | url_decode }}`
    : 'https://api.example/a/{{ id }}';
  expect(await stepFailureMessage(urlOf(encoded, { id }))).toContain('lead out of the path');
});

test.each([
  [
    { type: 'text/html', body: '<html>Login</html>' },
    { responseFormat: 'json' },
    'answered text/html where JSON was expected',
  ],
  [
    { type: 'text/html', body: '<html>Login</html>' },
    { responseMapping: { a: 'b' } },
    'where JSON was expected',
  ],
  [{ status: 500, body: 'broken' }, {}, 'The API answered 500: broken'],
  [{ status: 302, headers: { location: 'http://10.0.0.1/' } }, {}, 'not a public address'],
  [{ type: 'text/plain', body: Buffer.alloc(50_000_000, 'a') }, {}, 'The tool The_tool failed: '],
])('a server that answers wrongly is a failure of the tool: %#', async (answer, config, message) => {
  const { url } = await web(() => answer);
  expect(await stepFailureMessage(runTool(external({ url, ...config })))).toContain(message);
});

test('a server that hangs ends by the time limit', async () => {
  const { url } = await web(() => new Promise(() => {}));
  expect(await stepFailureMessage(runTool(external({ url, timeoutMs: 100 })))).toMatch(
    /100 ms|0\.1 s|took longer/,
  );
});

test('responses: JSON becomes a value, other text stays text, and text stays text if asked', async () => {
  const { url } = await web(({ path }) =>
    path === '/json' ? jsonWebAnswer([1]) : { type: 'text/plain', body: 'x' },
  );
  expect(await runTool(external({ url: `${url}/json` }))).toEqual([1]);
  expect(await runTool(external({ url }))).toBe('x');
  expect(await runTool(external({ url: `${url}/json`, responseFormat: 'text' }))).toBe('[1]');
});

test('a header cannot be split by an argument', async () => {
  const { url, asked } = await web(() => jsonWebAnswer(1));
  const tool = external({ url, headers: { 'x-a': '{{ a }}' } });
  await stepFailureMessage(runTool(tool, { a: 'x\r\nx-b: y' }));
  expect(asked).toEqual([]);
});

test('a server that repeats the secret is redacted, in results and in errors', async () => {
  vi.stubEnv('UNUSED', '');
  const value = 'the-secret-value';
  const secrets = async () => new Map([['KEY', { value, version: '1' }]]);
  const { url } = await web(({ headers, path }) =>
    path === '/fail'
      ? { status: 400, body: String(headers['x-key']) }
      : jsonWebAnswer({ seen: headers['x-key'] }),
  );
  const tool = (path: string) => external({ url: url + path, headers: { 'x-key': '{{secret:KEY}}' } });
  expect(await runTool(tool('/'), {}, { secrets })).toEqual({ seen: '[secret:KEY]' });
  expect(await stepFailureMessage(runTool(tool('/fail'), {}, { secrets }))).not.toContain(value);
});
