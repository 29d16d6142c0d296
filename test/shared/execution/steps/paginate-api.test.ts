import { beforeEach, expect, test, vi } from 'vitest';
import { stepFailure } from '../../../support/flows/failure-of.ts';
import { jsonWebAnswer, type WebAnswer, type WebRequest, web } from '../../../support/servers/web.ts';
import { configProblems, runStep } from './run-step.ts';

beforeEach(() => {
  vi.unstubAllEnvs();
});

const all = Array.from({ length: 25 }, (_, n) => ({ n }));
const query = ({ path }: WebRequest) => new URL(path, 'http://a').searchParams;
const queries = (asked: WebRequest[]) => asked.map((one) => Object.fromEntries(query(one)));

async function paginated(config: object, variables = {}): Promise<unknown> {
  return (await runStep('paginate-api', config, { variables })).output;
}

test('page: reads pages until one is empty', async () => {
  const { url, asked } = await web((one) => {
    const page = Number(query(one).get('page'));
    return jsonWebAnswer({ data: { items: all.slice((page - 1) * 10, page * 10) } });
  });
  const config = {
    url: `${url}/v1?sort={{ by }}`,
    paginationType: 'page',
    pageSize: 10,
    entityPath: 'data.items',
  };
  expect(await paginated(config, { by: 'n' })).toEqual(all);
  expect(queries(asked)).toEqual(['1', '2', '3', '4'].map((page) => ({ sort: 'n', limit: '10', page })));
});

test('page: without a page size, until one is empty', async () => {
  const { url, asked } = await web((one) => {
    const page = Number(query(one).get('p'));
    return jsonWebAnswer(all.slice(page * 10, (page + 1) * 10));
  });
  expect(await paginated({ url, paginationType: 'page', pageParam: 'p', startPage: 0 })).toEqual(all);
  expect(queries(asked)).toEqual(['0', '1', '2', '3'].map((p) => ({ p })));
});

test('offset: adds the number of received entities', async () => {
  const { url, asked } = await web((one) => {
    const skip = Number(query(one).get('skip'));
    return jsonWebAnswer(all.slice(skip, skip + 10));
  });
  const names = { offsetParam: 'skip', pageSizeParam: 'take', pageSize: 10 };
  expect(await paginated({ url, paginationType: 'offset', ...names })).toEqual(all);
  expect(queries(asked)).toEqual(['0', '10', '20', '25'].map((skip) => ({ skip, take: '10' })));
});

test.each([
  ['null', null],
  ['empty', ''],
  ['missing', undefined],
  ['false', false],
])('cursor: continues until it is %s, also after an empty page', async (_name, last) => {
  const pages: Record<string, [object[], unknown]> = {
    '': [all.slice(0, 10), 'a b'],
    'a b': [[], 7],
    7: [all.slice(10), last],
  };
  const { url, asked } = await web((one) => {
    const [items, next] = pages[query(one).get('after') ?? ''] ?? [];
    return jsonWebAnswer({ items, meta: { next } });
  });
  const config = {
    url,
    paginationType: 'cursor',
    cursorParam: 'after',
    cursorPath: 'meta.next',
    entityPath: 'items',
    pageSize: 10,
  };
  expect(await paginated(config)).toEqual(all);
  expect(queries(asked)).toEqual([
    { limit: '10' },
    { limit: '10', after: 'a b' },
    { limit: '10', after: '7' },
  ]);
});

test('link: follows rel="next", relative or absolute', async () => {
  const links: Record<string, string> = {
    '/': '<x>; rel="prev", </two?a=1%202>; rel="next last"; title="a, b; c"',
    '/two?a=1%202': '<HOST/three>; rel=next',
    '/three': '</>; rel="first"',
  };
  const { url, asked } = await web(({ path }) =>
    jsonWebAnswer([path], { headers: { link: links[path]?.replace('HOST', url) ?? '' } }),
  );
  expect(await paginated({ url, paginationType: 'link' })).toEqual(['/', '/two?a=1%202', '/three']);
  expect(asked).toHaveLength(3);
});

test('link: an API without the header has one page', async () => {
  const { url } = await web(() => jsonWebAnswer([1]));
  expect(await paginated({ url, paginationType: 'link' })).toEqual([1]);
});

test('sends method and headers with every page', async () => {
  const { url, asked } = await web((one) => jsonWebAnswer(query(one).get('page') === '3' ? [] : [one.path]));
  const headers = { Authorization: 'Bearer {{ key }}', Accept: 'application/x+json' };
  await paginated({ url, method: 'POST', headers, paginationType: 'page' }, { key: 'k' });
  expect(asked).toHaveLength(3);
  for (const one of asked)
    expect(one).toMatchObject({
      method: 'POST',
      headers: { authorization: 'Bearer k', accept: 'application/x+json' },
    });
});

test('stops after maxPages; without it, more than 100 pages fail', async () => {
  const { url, asked } = await web(({ path }) => jsonWebAnswer([path]));
  expect(await paginated({ url, paginationType: 'page', maxPages: 3 })).toHaveLength(3);
  asked.length = 0;
  expect(await stepFailure(paginated({ url, paginationType: 'page' }))).toMatchObject({
    message: `The pages of ${url} have more than 100 pages: set maxPages, or request less`,
  });
  expect(asked).toHaveLength(101);
});

test('a list of exactly 100 pages is complete', async () => {
  const { url } = await web((one) => jsonWebAnswer(Number(query(one).get('page')) > 100 ? [] : [one.path]));
  expect(await paginated({ url, paginationType: 'page' })).toHaveLength(100);
});

test.each([
  ['page', (one: WebRequest) => (Number(query(one).get('page')) - 1) * 10],
  ['offset', (one: WebRequest) => Number(query(one).get('offset'))],
])('%s: a server that returns fewer than requested loses nothing', async (paginationType, from) => {
  const { url } = await web((one) => jsonWebAnswer(all.slice(from(one), from(one) + 10)));
  expect(await paginated({ url, paginationType, pageSize: 20 })).toEqual(all);
});

test('page: the pages after one with a hidden entity are read', async () => {
  const { url } = await web((one) => {
    const page = Number(query(one).get('page'));
    return jsonWebAnswer(all.slice((page - 1) * 5, page * 5).filter(({ n }) => n !== 7));
  });
  expect(await paginated({ url, paginationType: 'page', pageSize: 5 })).toEqual(
    all.filter(({ n }) => n !== 7),
  );
});

test('offset: an API that counts hidden entities fails instead of returning some twice', async () => {
  const { url } = await web((one) => {
    const offset = Number(query(one).get('offset'));
    return jsonWebAnswer(all.slice(offset, offset + 5).filter(({ n }) => n !== 2));
  });
  expect(await stepFailure(paginated({ url, paginationType: 'offset', pageSize: 5 }))).toMatchObject({
    message: expect.stringContaining('repeats an entity of the page before it'),
    retryable: false,
  });
});

test.each([404, 416])('page: a %s after the last page ends the list', async (status) => {
  const { url } = await web((one) => {
    const page = Number(query(one).get('page'));
    return page > 3 ? { status } : jsonWebAnswer(all.slice((page - 1) * 10, page * 10));
  });
  expect(await paginated({ url, paginationType: 'page', pageSize: 10 })).toEqual(all);
});

test('a full page that comes again fails: the parameter has another name', async () => {
  const { url } = await web(() => jsonWebAnswer([1, 2]));
  expect(await stepFailure(paginated({ url, paginationType: 'page', pageSize: 2 }))).toMatchObject({
    message: expect.stringContaining('set the parameters that the API has'),
  });
});

test.each([
  ['a whole address', (base: string, at: number) => `${base}/list?cursor=${at}`],
  ['a path with a query', (_base: string, at: number) => `/list?cursor=${at}`],
  ['a query', (_base: string, at: number) => `?cursor=${at}`],
])('cursor: %s of the next page is followed', async (_name, next) => {
  const { url } = await web((one) => {
    const at = Number(query(one).get('cursor'));
    return jsonWebAnswer({ items: all.slice(at, at + 10), next: at + 10 < 25 ? next(url, at + 10) : null });
  });
  const config = { url: `${url}/list`, paginationType: 'cursor', cursorPath: 'next', entityPath: 'items' };
  expect(await paginated(config)).toEqual(all);
});

test('cursor: one that begins with a slash is no address', async () => {
  const { url, asked } = await web((one) =>
    jsonWebAnswer({ items: [one.path], next: query(one).has('cursor') ? null : '/list+a==' }),
  );
  const config = { url: `${url}/list`, paginationType: 'cursor', cursorPath: 'next', entityPath: 'items' };
  expect(await paginated(config)).toHaveLength(2);
  expect(queries(asked)).toEqual([{}, { cursor: '/list+a==' }]);
});

test.each<[string, object, (one: WebRequest) => WebAnswer]>([
  ['gives the same page again', { paginationType: 'page' }, () => jsonWebAnswer([1, 2])],
  ['ignores the offset', { paginationType: 'offset' }, () => jsonWebAnswer([1, 2])],
  [
    'ignores the cursor',
    { paginationType: 'cursor', cursorPath: 'next', entityPath: 'items' },
    () => jsonWebAnswer({ items: [1, 2], next: 'c' }),
  ],
  [
    'links to itself',
    { paginationType: 'link' },
    ({ path }) => jsonWebAnswer([1, 2], { headers: { link: `<${path}>; rel=next` } }),
  ],
])('a server that %s duplicates nothing', async (_name, config, answer) => {
  const { url } = await web(answer);
  expect(await paginated({ url, ...config })).toEqual([1, 2]);
});

test.each([0, '0'])('a cursor %j ends the list', async (end) => {
  const { url, asked } = await web((one) => {
    const at = Number(query(one).get('cursor') ?? 0);
    return jsonWebAnswer({ items: [at], next: at === 2 ? end : at + 1 });
  });
  const config = { url, paginationType: 'cursor', cursorPath: 'next', entityPath: 'items' };
  expect(await paginated(config)).toEqual([0, 1, 2]);
  expect(asked).toHaveLength(3);
});

test('circular cursors end', async () => {
  const { url, asked } = await web((one) => {
    const at = Number(query(one).get('cursor') ?? 0);
    return jsonWebAnswer({ items: [at], next: (at % 3) + 1 });
  });
  const config = { url, paginationType: 'cursor', cursorPath: 'next', entityPath: 'items' };
  expect(await paginated(config)).toEqual([0, 1, 2, 3]);
  expect(asked).toHaveLength(4);
});

test('a list that is null is empty', async () => {
  const { url } = await web(() => jsonWebAnswer({ items: null }));
  expect(await paginated({ url, paginationType: 'page', entityPath: 'items' })).toEqual([]);
});

test.each<[object, WebAnswer, string, boolean]>([
  [{}, { body: 'oops' }, 'did not return JSON', false],
  [{}, jsonWebAnswer({ items: [] }), 'has no list: set entityPath to its path', false],
  [{ entityPath: 'data.list' }, jsonWebAnswer({ data: {} }), 'has no list at data.list', false],
  [{ entityPath: 'constructor.name' }, jsonWebAnswer({}), 'has no list at constructor.name', false],
  [
    { paginationType: 'cursor', cursorPath: 'next', entityPath: 'items' },
    jsonWebAnswer({ items: [], next: {} }),
    'has no cursor at next, but object',
    false,
  ],
  [
    { paginationType: 'cursor', cursorPath: 'next', entityPath: 'items' },
    jsonWebAnswer({ items: [], next: 'http://169.254.169.254/' }),
    'links to a next page of another origin, http://169.254.169.254',
    false,
  ],
  [
    { paginationType: 'link' },
    jsonWebAnswer([], { headers: { link: 'oops' } }),
    'returned an invalid Link header',
    false,
  ],
  [
    { paginationType: 'link' },
    jsonWebAnswer([], { headers: { link: '<http://169.254.169.254/>; rel=next' } }),
    'links to a next page of another origin, http://169.254.169.254',
    false,
  ],
  [
    { paginationType: 'link' },
    jsonWebAnswer([], { headers: { link: '<file:///etc/passwd>; rel=next' } }),
    'links to a next page of another origin',
    false,
  ],
  [{}, { status: 404, body: 'gone' }, 'answered 404: gone', false],
  [{}, { status: 429 }, 'answered 429', true],
  [{}, { status: 503 }, 'answered 503', true],
])('%j of %j fails', async (config, answer, message, retryable) => {
  const { url } = await web(() => answer);
  expect(await stepFailure(paginated({ url, paginationType: 'page', ...config }))).toMatchObject({
    message: expect.stringContaining(message),
    retryable,
  });
});

test.each([
  ['100000 entities', () => `[${'1,'.repeat(40_000)}{}]`],
  ['20000000 bytes', () => JSON.stringify(['x'.repeat(4_900_000)])],
])('more than %s in total are rejected', async (limit, body) => {
  const { url } = await web(({ path }) => ({ body: body().replace(/\]$/, `,"${path}"]`) }));
  expect(await stepFailure(paginated({ url, paginationType: 'page' }))).toMatchObject({
    message: `The pages of ${url} have more than ${limit}: set maxPages, or request less`,
    retryable: false,
  });
});

test.each(['not a url', 'http://127.0.0.1/', 'ftp://example.com/'])('%s is rejected', async (url) => {
  expect((await stepFailure(paginated({ url, paginationType: 'page' }))).retryable).toBe(false);
});

const url = 'https://example.com';
test.each([
  [{ url }, expect.stringContaining('paginationType: ')],
  [{ url, paginationType: 'pages' }, expect.stringContaining('paginationType: ')],
  [{ paginationType: 'page' }, expect.stringContaining('url: ')],
  [{ url, paginationType: 'cursor' }, 'cursorPath: Required for the paginationType cursor'],
  [{ url, paginationType: 'page', maxPages: 1_001 }, expect.stringContaining('maxPages: ')],
  [{ url, paginationType: 'page', pageSize: 0 }, expect.stringContaining('pageSize: ')],
  [{ url, paginationType: 'page', startPage: 1.5 }, expect.stringContaining('startPage: ')],
  [{ url, paginationType: 'page', headers: { 'a b': 'c' } }, expect.stringContaining('headers.a b: ')],
  [{ url, paginationType: 'page', method: 'HEAD' }, expect.stringContaining('method: ')],
  [{ url, paginationType: 'page', cursor: 'x' }, expect.stringContaining('Unrecognized key: "cursor"')],
])('%j is rejected', async (config, problem) => {
  expect(await configProblems('paginate-api', config)).toEqual([problem]);
});
