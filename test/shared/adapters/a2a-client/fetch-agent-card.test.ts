import { expect, test, vi } from 'vitest';
import { fetchAgentCard, NoCard } from '../../../../shared/adapters/a2a-client/fetch-agent-card.ts';
import { UrlRefused } from '../../../../shared/adapters/net/addresses.ts';
import { makeSafeFetch } from '../../../../shared/adapters/net/safe-fetch.ts';
import { stepFailure } from '../../../support/flows/failure-of.ts';
import { trap } from '../../../support/servers/trap.ts';
import { html, jsonWebAnswer, type WebAnswer, web } from '../../../support/servers/web.ts';
import { addressesFor, ssrfCorpus } from '../net/ssrf-corpus.ts';

const corpus = Object.values(ssrfCorpus).flat();
const { signal } = new AbortController();
const fetched = (url: string) => fetchAgentCard(url, signal);

const skill = { id: 'delays', name: 'Delays', description: 'Reports delays', tags: ['air'] };

test('a card of A2A 0.3 keeps its members and gets its authentication', async () => {
  const card = {
    name: 'Guide',
    url: 'https://a.example/a2a',
    version: '1',
    protocolVersion: '0.3.0',
    capabilities: { streaming: true, extensions: [] },
    skills: [skill],
    preferredTransport: 'JSONRPC',
    securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'X-Key' } },
  };
  const { url } = await web(() => jsonWebAnswer(card));
  expect(await fetched(`${url}/card.json`)).toEqual({
    ...card,
    authentication: { type: 'api_key', apiKeyAuth: { headerName: 'X-Key' } },
  });
});

test('a card of A2A 1.0 gets a URL, a protocol version and its authentication', async () => {
  const supportedInterfaces = [
    { url: 'https://a.example/rest', protocolBinding: 'HTTP+JSON', protocolVersion: '1.0' },
    { url: 'https://a.example/rpc', protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
  ];
  const securitySchemes = { bearer: { httpAuthSecurityScheme: { scheme: 'Bearer' } } };
  const { url } = await web(() => jsonWebAnswer({ name: 'Guide', supportedInterfaces, securitySchemes }));
  expect(await fetched(`${url}/card.json`)).toEqual({
    name: 'Guide',
    url: 'https://a.example/rpc',
    protocolVersion: '1.0',
    supportedInterfaces,
    securitySchemes,
    authentication: { type: 'bearer' },
  });
});

test('members of a wrong type are dropped, and unknown ones are kept', async () => {
  const { url } = await web(() =>
    jsonWebAnswer({
      name: 7,
      version: ['x'],
      provider: 'me',
      mine: { a: 1 },
      supportedInterfaces: 'none',
      capabilities: { streaming: 'yes', statefulness: 'much', pushNotifications: true },
      skills: ['text', { id: 3, name: 'ok', inputSchema: [] }, null],
    }),
  );
  expect(await fetched(`${url}/card.json`)).toEqual({
    mine: { a: 1 },
    supportedInterfaces: 'none',
    capabilities: { pushNotifications: true },
    skills: [{ name: 'ok' }],
  });
});

test.each([
  ['/agent', '/agent', ['/agent']],
  ['/agent', '/agent/.well-known/agent-card.json', ['/agent', '/agent/.well-known/agent-card.json']],
  [
    '/agent/',
    '/.well-known/agent-card.json',
    ['/agent/', '/agent/.well-known/agent-card.json', '/.well-known/agent-card.json'],
  ],
  ['/', '/.well-known/agent.json', ['/', '/.well-known/agent-card.json', '/.well-known/agent.json']],
])('from %s the card at %s is found', async (given, place, places) => {
  const { url, asked } = await web(({ path }) =>
    path === place ? jsonWebAnswer({ name: 'x' }) : html('<p>'),
  );
  expect(await fetched(url + given)).toEqual({ name: 'x' });
  expect(asked.map(({ path }) => path)).toEqual(places);
  expect(asked[0]?.headers).toMatchObject({ accept: 'application/json' });
});

test('if there is no card, the failure is that of the given URL', async () => {
  const { url, asked } = await web(({ path }) => (path === '/' ? html('<p>') : { status: 404 }));
  const error = await stepFailure(fetched(url));
  expect(error).toBeInstanceOf(NoCard);
  expect(error.message).toBe(`${url}/ did not answer with a JSON object`);
  expect(asked).toHaveLength(3);
});

const failures: [
  what: string,
  answer: () => WebAnswer | Promise<WebAnswer>,
  noCard: boolean,
  text: string,
][] = [
  ['HTML', () => html('<p>'), true, 'did not answer with a JSON object'],
  ['a JSON list', () => jsonWebAnswer([]), true, 'did not answer with a JSON object'],
  ['broken JSON', () => jsonWebAnswer(1, { body: '{"name":' }), true, 'did not answer with a JSON object'],
  [
    'JSON that is nested too deeply',
    () => jsonWebAnswer(1, { body: `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}` }),
    true,
    'did not answer with a JSON object',
  ],
  ['404', () => ({ status: 404 }), false, 'answered 404'],
  ['500', () => ({ status: 500 }), false, 'answered 500'],
  ['304', () => ({ status: 304 }), false, 'answered 304'],
  ['2 MB', () => jsonWebAnswer('x'.repeat(2_000_000)), false, 'more than 1000000 bytes'],
  ['a circle of redirects', () => ({ status: 302, headers: { location: '/card.json' } }), false, 'redirects'],
];

test.each(failures)('a server that answers %s', async (_what, answer, noCard, text) => {
  const { url } = await web(answer);
  const error = await stepFailure(fetched(`${url}/card.json`));
  expect(error.message).toContain(text);
  expect(error instanceof NoCard).toBe(noCard);
});

test('a server that is slow, cut or down', async () => {
  vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => AbortSignal.abort(new Error('over')));
  const slow = await web(() => new Promise(() => {}));
  expect((await stepFailure(fetched(`${slow.url}/card.json`))).message).toContain(
    'did not answer within 5000 ms',
  );
  vi.restoreAllMocks();
  const { url } = await web(() => ({ headers: { 'content-length': '100' }, body: '{' }));
  const cut = await stepFailure(fetched(`${url}/card.json`));
  expect(cut).not.toBeInstanceOf(NoCard);
});

test('no hostile address of the corpus is reached, directly or by a redirect', async () => {
  const { port, connections } = await trap();
  const fetch = makeSafeFetch((hostname, _options, done) =>
    done(
      null,
      addressesFor(hostname).map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    ),
  );
  const fetched = (url: string) => fetchAgentCard(url, signal, fetch);
  let location = '';
  const { url, host } = await web(() => ({ status: 307, headers: { location } }));
  for (const each of corpus) {
    const address = each.replaceAll('PORT', String(port));
    expect(await stepFailure(fetched(address)), address).toBeInstanceOf(UrlRefused);
    location = Buffer.from(address.replace(/[\0\n]/g, '')).toString('latin1');
    if (URL.canParse(location.trim(), url) && new URL(location.trim(), url).host !== host) {
      expect(await stepFailure(fetched(url)), location).toBeInstanceOf(UrlRefused);
    }
    expect(connections(), address).toBe(0);
  }
});
