import { beforeEach, expect, test, vi } from 'vitest';
import type { CrawledPage } from '../../../../shared/adapters/web/crawl.ts';
import { stepFailure } from '../../../support/flows/failure-of.ts';
import { html, type WebAnswer, web } from '../../../support/servers/web.ts';
import { configProblems, runStep } from './run-step.ts';

beforeEach(() => {
  vi.unstubAllEnvs();
});

/** A page that is called by its path and links to others. */
const page = (title: string, ...links: string[]) =>
  html(
    `<title>${title}</title><p>This is ${title}</p>${links.map((to) => `<a href="${to}">${to}</a> `).join('')}`,
  );

/** A site by its paths; whatever else is asked for, robots.txt too, is not there. */
const site = (pages: Record<string, WebAnswer>) => web(({ path }) => pages[path]);

const robots = (...lines: string[]): WebAnswer => ({ type: 'text/plain', body: lines.join('\n') });

async function crawled(url: string, config: object = {}): Promise<CrawledPage[]> {
  return (await runStep('crawl', { url, ...config })).output as CrawledPage[];
}
const pathsOf = (pages: CrawledPage[]) => pages.map(({ url }) => new URL(url).pathname);

test('reads the nearest pages first, each once, as Markdown', async () => {
  const { url, asked } = await site({
    '/': page('home', '/a', 'b#part', '/a#x', '/', '/a'),
    '/a': page('a', '/deep', '/b'),
    '/b': page('b'),
    '/deep': page('deep', '/deeper'),
    '/deeper': page('deeper'),
  });
  const pages = await crawled('{{ start }}#top'.replace('{{ start }}', url));
  expect(pages).toMatchObject([
    { url: `${url}/`, depth: 0, title: 'home', markdown: expect.stringMatching(/^This is home/) },
    { url: `${url}/a`, depth: 1, title: 'a' },
    { url: `${url}/b`, depth: 1, title: 'b', markdown: 'This is b' },
    { url: `${url}/deep`, depth: 2, title: 'deep' },
  ]);
  expect(asked.map(({ path }) => path)).toEqual(['/robots.txt', '/', '/a', '/b', '/deep']);
});

test.each([
  [{ depth: 0 }, ['/']],
  [{ depth: 1 }, ['/', '/1', '/2', '/3', '/4', '/5', '/6']],
  [{ limit: 1 }, ['/']],
  [{ limit: 4 }, ['/', '/1', '/2', '/3']],
  [{ depth: 3, limit: 7 }, ['/', '/1', '/2', '/3', '/4', '/5', '/6']],
])('%j is kept', async (bounds, paths) => {
  const { url } = await web(({ path }) =>
    path === '/robots.txt'
      ? undefined
      : page(path, ...[1, 2, 3, 4, 5, 6].map((n) => `${path.replace(/\/$/, '')}/${n}`)),
  );
  expect(pathsOf(await crawled(url, bounds))).toEqual(paths);
});

test('stays on the host of the first page', async () => {
  const other = await site({ '/': page('other') });
  const { url } = await site({
    '/': page(
      'home',
      other.url,
      '//10.0.0.1/',
      'https://example.com/',
      '/moved',
      '/ok',
      'mailto:a@b',
      'http://[',
    ),
    '/moved': { status: 302, headers: { location: `${other.url}/` } },
    '/ok': page('ok'),
  });
  expect(pathsOf(await crawled(url))).toEqual(['/', '/ok']);
});

test('follows a redirect of the first page, and fetches the robots.txt of that host', async () => {
  const target = await site({
    '/robots.txt': robots('User-agent: *', 'Disallow: /no'),
    '/new/': page('new', '/no', 'yes'),
    '/new/yes': page('yes'),
    '/no': page('no'),
  });
  const { url } = await site({ '/': { status: 301, headers: { location: `${target.url}/new/` } } });
  expect(await crawled(url)).toMatchObject([{ url: `${target.url}/new/` }, { url: `${target.url}/new/yes` }]);
});

test('a page that others redirect to is listed once', async () => {
  const to = (location: string): WebAnswer => ({ status: 302, headers: { location } });
  const { url } = await site({
    '/': page('home', '/1', '/2', '/a', '/3'),
    '/1': to('/a'),
    '/2': to('/'),
    '/3': to('/b'),
    '/a': page('a'),
    '/b': page('b'),
  });
  expect(pathsOf(await crawled(url))).toEqual(['/', '/a', '/b']);
});

test('follows robots.txt', async () => {
  const { url, asked } = await site({
    '/robots.txt': robots(
      'User-agent: *',
      'Disallow: /',
      '',
      'User-agent: Agent-Flow-Service',
      'Disallow: /private',
      'Allow: /private/open$',
    ),
    '/': page('home', '/private/a', '/private/open', '/public', '/moved'),
    '/private/open': page('open'),
    '/public': page('public'),
    '/moved': { status: 302, headers: { location: '/private/b' } },
    '/private/b': page('b'),
  });
  expect(pathsOf(await crawled(url))).toEqual(['/', '/private/open', '/public']);
  expect(asked.map(({ path }) => path)).not.toContain('/private/a');
  expect(new Set(asked.map(({ headers }) => headers['user-agent']))).toEqual(new Set(['agent-flow-service']));
});

test('fetches one page at a time, with pauses, if robots.txt requests that', async () => {
  const times: number[] = [];
  const { url } = await web(({ path }) => {
    if (path === '/robots.txt') return robots('User-agent: *', 'Crawl-delay: 0.1');
    times.push(performance.now());
    return page(path, '/1', '/2', '/3');
  });
  expect(await crawled(url)).toHaveLength(4);
  const pauses = times.slice(1).map((time, index) => time - (times[index] ?? 0));
  expect(Math.min(...pauses)).toBeGreaterThan(95);
});

test('fetches at most four pages concurrently', async () => {
  let now = 0;
  let most = 0;
  const { url } = await web(async ({ path }) => {
    if (path === '/robots.txt') return undefined;
    most = Math.max(most, ++now);
    await new Promise((resolve) => setTimeout(resolve, 20));
    now--;
    return page(path, ...Array.from({ length: 30 }, (_, n) => `/${n}`));
  });
  expect(await crawled(url, { limit: 20 })).toHaveLength(20);
  expect(most).toBe(4);
});

test('a failed page is listed with its error; other content is not listed', async () => {
  const { url } = await site({
    '/': page('home', '/gone', '/broken', '/data', '/doc.pdf', '/ok', '/large'),
    '/broken': { status: 503 },
    '/data': { type: 'application/json', body: '{}' },
    '/doc.pdf': page('pdf'),
    '/ok': page('ok'),
    '/large': html('x'.repeat(2_000_001)),
  });
  expect(await crawled(url)).toMatchObject([
    { url: `${url}/`, title: 'home' },
    { url: `${url}/gone`, depth: 1, error: `${url}/gone answered 404` },
    { url: `${url}/broken`, depth: 1, error: `${url}/broken answered 503` },
    { url: `${url}/ok`, title: 'ok' },
    { url: `${url}/large`, error: expect.stringContaining('more than 2000000 bytes') },
  ]);
});

test('other content costs at most three requests per page of the limit', async () => {
  const { url, asked } = await web(({ path }) =>
    path === '/'
      ? page('home', ...Array.from({ length: 100 }, (_, n) => `/${n}`))
      : { type: 'text/plain', body: 'x' },
  );
  expect(await crawled(url, { limit: 5 })).toHaveLength(1);
  expect(asked).toHaveLength(1 + 5 * 3);
});

test('ends at four million characters, and says so', async () => {
  const { url } = await web(({ path }) =>
    path === '/robots.txt' ? undefined : html(`<p>${'x'.repeat(1_900_000)}</p><a href="${path}1">next</a>`),
  );
  const pages = await crawled(url, { depth: 5 });
  expect(pages).toMatchObject([
    { markdown: expect.any(String) },
    { markdown: expect.any(String) },
    { error: 'The pages have more than 4000000 characters' },
  ]);
});

test.each<[string, Record<string, WebAnswer>, string, boolean]>([
  ['is not there', {}, '/ answered 404', false],
  ['is broken', { '/': { status: 500 } }, '/ answered 500', true],
  ['is no page', { '/': { type: 'text/plain', body: 'x' } }, '/ is not an HTML page', false],
  [
    'is forbidden',
    { '/robots.txt': robots('User-agent: *', 'Disallow: /'), '/': page('x') },
    'disallows',
    false,
  ],
  ['may be forbidden', { '/robots.txt': { status: 503 }, '/': page('x') }, '/robots.txt answered 503', true],
])('a first page that %s fails the step', async (_name, pages, message, retryable) => {
  const { url } = await site(pages);
  expect(await stepFailure(crawled(url))).toMatchObject({
    message: expect.stringContaining(message),
    retryable,
  });
});

test.each([
  ['http://169.254.169.254/', 'is not a public address'],
  ['ftp://example.com/', 'Not a web address'],
  ['example.com', 'Not a web address'],
  ['', 'Not a web address'],
])('%j is rejected', async (start, message) => {
  const running = runStep('crawl', { url: '{{ start }}' }, { variables: { start } });
  expect(await stepFailure(running)).toMatchObject({
    message: expect.stringContaining(message),
    retryable: false,
  });
});

test('ends at once when the run is aborted', async () => {
  const stop = new AbortController();
  const { url, asked } = await web(({ path }) => {
    if (path === '/1') stop.abort(new Error('enough'));
    return path === '/robots.txt' ? undefined : page(path, ...Array.from({ length: 50 }, (_, n) => `/${n}`));
  });
  await expect(runStep('crawl', { url, limit: 50 }, { signal: stop.signal })).rejects.toThrow('enough');
  expect(asked.length).toBeLessThan(10);
});

test('a page with 50,000 links, a robots.txt of a megabyte and endless paths are handled', async () => {
  const { url } = await web(({ path }) => {
    if (path === '/robots.txt') return robots('User-agent: *', `Disallow: /x${'*a'.repeat(500_000)}`);
    return page('trap', ...Array.from({ length: 50_000 }, (_, n) => `${n}/`), `/${'x'.repeat(100_000)}`);
  });
  expect(await crawled(url, { limit: 5, depth: 5 })).toHaveLength(5);
});

const url = 'https://example.com';
test.each([
  [{}, expect.stringContaining('url: ')],
  [{ url, limit: 0 }, expect.stringContaining('limit: ')],
  [{ url, limit: 101 }, expect.stringContaining('limit: ')],
  [{ url, depth: 6 }, expect.stringContaining('depth: ')],
  [{ url, depth: -1 }, expect.stringContaining('depth: ')],
  [{ url, pages: 5 }, expect.stringContaining('Unrecognized key: "pages"')],
])('%j is rejected', async (config, problem) => {
  expect(await configProblems('crawl', config)).toEqual([problem]);
});
