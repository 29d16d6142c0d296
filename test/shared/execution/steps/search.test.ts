import { beforeEach, expect, test, vi } from 'vitest';
import { providerKeys } from '../../../../shared/adapters/models/providers/provider-keys.ts';
import type { SearchProvider } from '../../../../shared/adapters/ports/http-port.ts';
import { searchAccount } from '../../../../shared/adapters/web/search-account.ts';
import { stepFailure } from '../../../support/flows/failure-of.ts';
import { jsonWebAnswer, type WebAnswer, web } from '../../../support/servers/web.ts';
import { configProblems, runStep } from './run-step.ts';

beforeEach(() => {
  vi.unstubAllEnvs();
  for (const name of ['EXA', 'TAVILY', 'BRAVE']) vi.stubEnv(`${name}_API_KEY`, '');
});

const key = 'key-5ecret';

/** A stand-in of a provider, which the service has an account with. */
async function provider(name: SearchProvider, answer: WebAnswer) {
  const { url, asked } = await web(() => answer);
  vi.stubEnv(`${name.toUpperCase()}_API_KEY`, key);
  vi.stubEnv(`${name.toUpperCase()}_BASE_URL`, `${url}/v1/`);
  return asked;
}

const account = async (name: SearchProvider) => searchAccount(name, await providerKeys());
const searched = (config: object, variables = {}) =>
  runStep('search', { query: 'q', ...config }, { variables, ports: { searchAccount: account } });

test('exa: request and response', async () => {
  const asked = await provider(
    'exa',
    jsonWebAnswer({
      requestId: 'r',
      results: [
        {
          id: 'x',
          title: 'HNL',
          url: 'https://a/1',
          publishedDate: '2024-02-01T10:00:00.000Z',
          author: null,
          highlights: ['one', 'two'],
        },
        { id: 'y', title: null, url: 'https://a/2', publishedDate: null },
      ],
      costDollars: { total: 0.005 },
    }),
  );
  const { output } = await searched({ provider: 'exa', query: 'code of {{ city }}' }, { city: 'Hilo' });
  expect(output).toEqual([
    { title: 'HNL', url: 'https://a/1', snippet: 'one … two', publishedAt: '2024-02-01T10:00:00.000Z' },
    { title: '', url: 'https://a/2', snippet: '' },
  ]);
  expect(asked).toMatchObject([{ method: 'POST', path: '/v1/search', headers: { 'x-api-key': key } }]);
  expect(JSON.parse(asked[0]?.body ?? '')).toEqual({
    query: 'code of Hilo',
    numResults: 5,
    contents: { highlights: true },
  });
});

test('tavily: request and response', async () => {
  const asked = await provider(
    'tavily',
    jsonWebAnswer({
      query: 'q',
      answer: null,
      results: [
        {
          title: 'HNL',
          url: 'https://a/1',
          content: 'Honolulu',
          score: 0.9,
          published_date: 'Thu, 01 Feb 2024 10:00:00 GMT',
        },
        { title: 'ITO', url: 'https://a/2', content: 'Hilo', score: 0.8, raw_content: null },
      ],
      response_time: 1.2,
    }),
  );
  const { output } = await searched({ provider: 'tavily', maxResults: 20 });
  expect(output).toEqual([
    { title: 'HNL', url: 'https://a/1', snippet: 'Honolulu', publishedAt: '2024-02-01T10:00:00.000Z' },
    { title: 'ITO', url: 'https://a/2', snippet: 'Hilo' },
  ]);
  expect(asked).toMatchObject([
    {
      method: 'POST',
      path: '/v1/search',
      headers: { authorization: `Bearer ${key}` },
      body: '{"query":"q","max_results":20}',
    },
  ]);
});

test('brave: request and response', async () => {
  const asked = await provider(
    'brave',
    jsonWebAnswer({
      type: 'search',
      query: { original: 'q' },
      web: {
        type: 'search',
        results: [
          {
            title: 'It&#x27;s HNL',
            url: 'https://a/1',
            description: 'A &lt;b&gt; &amp; c',
            page_age: '2024-02-01T10:00:00',
            age: 'February 1, 2024',
          },
          { title: 'ITO', url: 'https://a/2', description: 'Hilo', page_age: 'long ago' },
        ],
      },
    }),
  );
  const { output } = await searched({ provider: 'brave', query: 'a & b', maxResults: 3 });
  expect(output).toEqual([
    { title: "It's HNL", url: 'https://a/1', snippet: 'A <b> & c', publishedAt: '2024-02-01T10:00:00.000Z' },
    { title: 'ITO', url: 'https://a/2', snippet: 'Hilo' },
  ]);
  expect(asked).toMatchObject([
    {
      method: 'GET',
      path: '/v1/web/search?q=a+%26+b&count=3&text_decorations=false',
      headers: { 'x-subscription-token': key },
    },
  ]);
});

test.each([
  ['exa', { results: [] }],
  ['tavily', { results: [] }],
  ['brave', { type: 'search', query: {} }],
] as const)('%s: no results are an empty list', async (name, answer) => {
  await provider(name, jsonWebAnswer(answer));
  expect((await searched({ provider: name })).output).toEqual([]);
});

test('returns no more than requested', async () => {
  await provider(
    'exa',
    jsonWebAnswer({ results: Array.from({ length: 9 }, () => ({ title: 't', url: 'https://a' })) }),
  );
  expect((await searched({ provider: 'exa', maxResults: 2 })).output).toHaveLength(2);
});

test.each(['exa', 'tavily', 'brave'] as const)(
  '%s: without an account the step names the missing variable',
  async (name) => {
    expect(await stepFailure(searched({ provider: name }))).toMatchObject({
      message: `The search provider ${name} is not configured: store a key through POST /v1/provider-keys, or let the deployment set ${name.toUpperCase()}_API_KEY`,
      retryable: false,
    });
  },
);

test('an account has the provider’s own URL unless another is set', async () => {
  vi.stubEnv('BRAVE_API_KEY', key);
  expect(await account('brave')).toEqual({ key, baseUrl: 'https://api.search.brave.com/res/v1' });
});

test.each<[SearchProvider, WebAnswer, string, boolean]>([
  [
    'exa',
    jsonWebAnswer({ error: `Invalid key ${key}` }, { status: 401 }),
    'exa rejected the API key with 401',
    false,
  ],
  ['tavily', { status: 403, body: key }, 'tavily rejected the API key with 403', false],
  ['tavily', { status: 429, body: `too many for ${key}` }, 'tavily answered 429: too many for …', true],
  ['brave', { status: 500 }, 'brave answered 500', true],
  ['brave', { status: 422, body: 'q is too long' }, 'brave answered 422: q is too long', false],
  ['exa', { body: '<html>' }, 'exa returned an unknown response format', false],
  [
    'tavily',
    jsonWebAnswer({ results: [{ title: 'no url' }] }),
    'tavily returned an unknown response format',
    false,
  ],
  ['brave', jsonWebAnswer(null), 'brave returned an unknown response format', false],
])('%s: %j fails the step and shows no key', async (name, answer, message, retryable) => {
  await provider(name, answer);
  const failure = await stepFailure(searched({ provider: name }));
  expect(failure).toMatchObject({ message, retryable });
});

test('an unreachable provider is retryable, and reveals no key', async () => {
  const { url } = await web(() => undefined);
  vi.stubEnv('BRAVE_API_KEY', key);
  vi.stubEnv('BRAVE_BASE_URL', url);
  vi.stubEnv('ALLOWED_HOSTS', '');
  const failure = await stepFailure(searched({ provider: 'brave' }));
  expect(failure.message).toContain('127.0.0.1 is not a public address');
  expect(failure.message).not.toContain(key);
});

test('a query that renders empty is rejected before the request', async () => {
  const asked = await provider('exa', jsonWebAnswer({ results: [] }));
  expect((await stepFailure(searched({ provider: 'exa', query: '{{ nothing }} ' }))).message).toBe(
    'The query is empty after its templates were rendered',
  );
  expect(asked).toEqual([]);
});

test.each([
  [{ query: 'q' }, expect.stringContaining('provider: ')],
  [{ provider: 'google', query: 'q' }, expect.stringContaining('provider: ')],
  [{ provider: 'exa' }, expect.stringContaining('query: ')],
  [{ provider: 'exa', query: '{% if %}' }, expect.stringContaining('query: ')],
  [{ provider: 'exa', query: 'q', maxResults: 21 }, expect.stringContaining('maxResults: ')],
  [{ provider: 'exa', query: 'q', maxResults: 0 }, expect.stringContaining('maxResults: ')],
  [{ provider: 'exa', query: 'q', apiKey: 'x' }, expect.stringContaining('Unrecognized key: "apiKey"')],
])('%j is rejected', async (config, problem) => {
  expect(await configProblems('search', config)).toEqual([problem]);
});
