import net from 'node:net';
import { beforeEach, expect, test, vi } from 'vitest';
import type { Resolve } from '../../../../shared/adapters/net/client.ts';
import { makeSafeFetch } from '../../../../shared/adapters/net/safe-fetch.ts';
import type { Ports } from '../../../../shared/adapters/ports/ports.ts';
import { StepError } from '../../../../shared/core/errors/step-error.ts';
import { trap } from '../../../support/servers/trap.ts';
import { web } from '../../../support/servers/web.ts';
import { runStep } from '../../execution/steps/run-step.ts';
import { addressesFor, ssrfCorpus } from './ssrf-corpus.ts';

beforeEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

const corpus = Object.values(ssrfCorpus).flat();
const familyOf = (address: string) => (address.includes(':') ? 6 : 4);

const resolve: Resolve = (hostname, _options, done) =>
  done(
    null,
    addressesFor(hostname).map((address) => ({ address, family: familyOf(address) })),
  );

/** How a flow's author has each step fetch an address that a variable holds. */
const steps: Record<string, object> = {
  'api-call': { http: { url: '{{ url }}' } },
  'fetch-url': { http: { url: '{{ url }}' } },
  crawl: { url: '{{ url }}' },
  'paginate-api': { url: '{{ url }}', paginationType: 'link' },
  'fetch-github': { repo: '{{ url }}' },
  'store-asset': { url: '{{ url }}', filename: 'a' },
};

const assets: Ports['assets'] = {
  read: async () => undefined,
  store: async () => ({ assetId: 'a', url: 'u', expiresAt: null }),
};

/** What became of the step: refused for good, or something that should not be. */
async function outcomeOf(type: string, url: string, ports: Partial<Ports>): Promise<string> {
  const config = type === 'search' ? { provider: 'exa', query: 'q' } : (steps[type] ?? {});
  try {
    await runStep(type, config, { variables: { url }, ports: { ...ports, assets } });
    return 'answered';
  } catch (error) {
    if (!(error instanceof StepError)) throw error;
    return error.retryable ? `tried: ${error.message}` : 'refused';
  }
}

test('the corpus is large enough and has no duplicates', () => {
  expect(corpus.length).toBeGreaterThan(150);
  expect(new Set(corpus).size).toBe(corpus.length);
});

test.each(Object.keys(steps))('%s rejects every hostile address without connecting to it', async (type) => {
  const { port, connections } = await trap();
  const fetch = makeSafeFetch(resolve);
  for (const url of corpus) {
    const address = url.replaceAll('PORT', String(port));
    expect(await outcomeOf(type, address, { fetch }), address).toBe('refused');
    expect(connections(), address).toBe(0);
  }
});

test.each([...Object.keys(steps), 'search'])('%s follows no redirect to a hostile address', async (type) => {
  const { port, connections } = await trap();
  const fetch = makeSafeFetch(resolve);
  let location = '';
  const { url } = await web(({ path }) =>
    path === '/robots.txt' ? undefined : { status: 307, headers: { location, 'content-type': 'text/plain' } },
  );
  vi.stubEnv('GITHUB_API_URL', url);
  const ports = { fetch, searchAccount: async () => ({ key: 'k', baseUrl: url }) };
  const start = type === 'fetch-github' ? 'ada/airports' : url;
  for (const target of corpus) {
    // A header carries bytes.
    location = Buffer.from(target.replaceAll('PORT', String(port)).replace(/[\0\n]/g, '')).toString('latin1');
    const goesThere = URL.canParse(location.trim(), url) && new URL(location.trim(), url).origin !== url;
    const outcome = await outcomeOf(type, start, ports);
    if (goesThere) expect(outcome, location).toBe('refused');
    expect(connections(), location).toBe(0);
  }
});

test('a page with links to hostile addresses does not lead the crawler there', async () => {
  const { port, connections } = await trap();
  const links = corpus.map(
    (each) => `<a href="${each.replaceAll('PORT', String(port))}"><img src="${each}"></a>`,
  );
  const { url } = await web(({ path }) =>
    path === '/robots.txt'
      ? { body: `Sitemap: http://127.0.0.1:${port}/` }
      : { type: 'text/html', body: links.join('') },
  );
  const { output } = await runStep('crawl', { url, limit: 20 }, { ports: { fetch: makeSafeFetch(resolve) } });
  const origins = (output as { url: string }[]).map((page) => new URL(page.url).origin);
  expect(new Set(origins)).toEqual(new Set([url]));
  expect(connections()).toBe(0);
});

test.each([
  '![x](URL)',
  '<img src="URL"><link rel="stylesheet" href="URL"><p style="background: url(URL)">x</p>',
])('generate-pdf fetches nothing for %s', async (text) => {
  const { port, connections } = await trap();
  const assets: Ports['assets'] = {
    read: async () => undefined,
    store: async () => ({ assetId: 'a', url: 'u', expiresAt: null }),
  };
  const filled = text.replaceAll('URL', `http://127.0.0.1:${port}/x.png`);
  const config = { [text.startsWith('<') ? 'html' : 'markdown']: filled, filename: 'a.pdf' };
  await runStep('generate-pdf', config, { ports: { assets } }).catch((error) => {
    if (!(error instanceof StepError)) throw error;
  });
  expect(connections()).toBe(0);
});

test('a name that resolves differently after the check is checked again, and rejected', async () => {
  const { port, connections } = await trap();
  const answers = [['93.184.216.34'], ['127.0.0.1']];
  const fetch = makeSafeFetch((_hostname, _options, done) => {
    const addresses = answers.shift() ?? ['127.0.0.1'];
    done(
      null,
      addresses.map((address) => ({ address, family: 4 })),
    );
  });
  // A server on the loopback stands in for the public one at that address.
  const { host } = await web(() => ({
    status: 302,
    headers: { location: `http://rebind.example:${port}/`, connection: 'close' },
  }));
  vi.stubEnv('ALLOWED_HOSTS', '');
  const connect = net.connect;
  const connected: unknown[] = [];
  vi.spyOn(net, 'connect').mockImplementation(((options: net.TcpNetConnectOpts) =>
    connect({
      ...options,
      port: Number(host.split(':')[1]),
      lookup: (name, how, done) =>
        options.lookup?.(name, how, (error, addresses) => {
          connected.push(error?.message ?? addresses);
          done(error, error ? '' : [{ address: '127.0.0.1', family: 4 }]);
        }),
    })) as typeof net.connect);
  expect(await outcomeOf('fetch-url', `http://rebind.example:${port}/`, { fetch })).toBe('refused');
  expect(connected).toEqual([
    [{ address: '93.184.216.34', family: 4 }],
    'rebind.example is not a public address and may not be reached',
  ]);
  expect(connections()).toBe(0);
});
