import { gunzipSync, gzipSync } from 'node:zlib';
import { beforeEach, expect, test, vi } from 'vitest';
import { tarball } from '../../../support/files/tarball.ts';
import { stepFailure } from '../../../support/flows/failure-of.ts';
import { jsonWebAnswer, type WebAnswer, type WebRequest, web } from '../../../support/servers/web.ts';
import { configProblems, runStep } from './run-step.ts';

beforeEach(() => {
  vi.unstubAllEnvs();
});

const files: Record<string, string | Uint8Array> = {
  'README.md': '# Airports\n\n```sh\nnpm ci\n```\n',
  'src/index.ts': 'export const a = 1;  \n\n\nexport const b = 2;\n',
  'src/deep/er.ts': 'deep',
  'src/logo.png': new Uint8Array([137, 80, 0, 1]),
  'src-gen/x.ts': 'generated',
  '.github/ci.yml': 'on: push',
};

const archive = tarball([
  { path: 'ada-airports-abc123/', type: 'Directory' },
  ...Object.entries(files).map(([path, body]) => ({ path: `ada-airports-abc123/${path}`, body })),
  { path: 'ada-airports-abc123/link.md', type: 'SymbolicLink', linkpath: '/etc/passwd' },
]);

/** GitHub's API as far as it is documented, with one repository in it. */
function gitHub({ path: address }: WebRequest): WebAnswer | undefined {
  const { pathname } = new URL(address, 'http://a');
  const [, kind, rest = ''] = /^\/api\/repos\/ada\/airports\/(contents|tarball)\/?(.*)$/.exec(pathname) ?? [];
  if (kind === 'tarball') return { status: 302, headers: { location: `/codeload/${rest || 'main'}` } };
  if (pathname.startsWith('/codeload/')) return { type: 'application/x-gzip', body: archive };
  const path = decodeURIComponent(rest);
  const body = files[path];
  if (body !== undefined) {
    const content = Buffer.from(body).toString('base64').replace(/.{60}/g, '$&\n');
    return jsonWebAnswer({ type: 'file', encoding: 'base64', size: body.length, path, content });
  }
  if (path === 'src' || path === 'src/deep') return jsonWebAnswer({ type: 'dir', path, entries: [] });
  if (path === 'module') return jsonWebAnswer({ type: 'submodule' });
  return kind ? jsonWebAnswer({ message: 'Not Found' }, { status: 404 }) : undefined;
}

/** A stand-in of GitHub, which the step goes to. */
async function stub(answer: (asked: WebRequest) => WebAnswer | undefined = gitHub) {
  const { url, asked } = await web(answer);
  vi.stubEnv('GITHUB_API_URL', `${url}/api/`);
  return asked;
}

async function fetched(config: object, variables = {}): Promise<unknown> {
  return (await runStep('fetch-github', { repo: 'ada/airports', ...config }, { variables })).output;
}
const headingsOf = (text: unknown) => [...String(text).matchAll(/^## (.*)$/gm)].map(([, path]) => path);

test('returns the text of a file, at the given branch', async () => {
  const asked = await stub();
  expect(await fetched({ path: '/{{ p }}', branch: 'feature/x' }, { p: 'README.md' })).toBe(
    files['README.md'],
  );
  expect(asked).toMatchObject([
    {
      path: '/api/repos/ada/airports/contents/README.md?ref=feature%2Fx',
      headers: { accept: 'application/vnd.github.object+json', 'user-agent': 'agent-flow-service' },
    },
  ]);
  expect(asked[0]?.headers.authorization).toBeUndefined();
});

test('a file above a megabyte, whose content GitHub omits, is fetched separately', async () => {
  const asked = await stub(({ headers }) =>
    headers.accept?.includes('raw')
      ? { body: 'large' }
      : jsonWebAnswer({ type: 'file', encoding: 'none', content: '' }),
  );
  expect(await fetched({ path: 'a' })).toBe('large');
  expect(asked).toHaveLength(2);
});

test('a repository returns all its text files as one text', async () => {
  const asked = await stub();
  const text = await fetched({});
  expect(headingsOf(text)).toEqual([
    '.github/ci.yml',
    'README.md',
    'src-gen/x.ts',
    'src/deep/er.ts',
    'src/index.ts',
  ]);
  expect(text).toContain('## README.md\n\n````md\n# Airports\n\n```sh\nnpm ci\n```\n````\n\n## ');
  expect(asked.map(({ path }) => path)).toEqual(['/api/repos/ada/airports/tarball', '/codeload/main']);
});

test('a directory returns the files below it, at the given branch', async () => {
  const asked = await stub();
  expect(headingsOf(await fetched({ path: 'src', branch: 'v1' }))).toEqual([
    'src/deep/er.ts',
    'src/index.ts',
  ]);
  expect(asked.map(({ path }) => path)).toEqual([
    '/api/repos/ada/airports/contents/src?ref=v1',
    '/api/repos/ada/airports/tarball/v1',
    '/codeload/v1',
  ]);
});

test.each([
  [{ includePatterns: ['*.ts'] }, ['src-gen/x.ts', 'src/deep/er.ts', 'src/index.ts']],
  [{ includePatterns: ['src/*.ts', '*.md'] }, ['README.md', 'src/index.ts']],
  [{ includePatterns: ['src/'] }, ['src/deep/er.ts', 'src/index.ts']],
  [{ includePatterns: ['**/*.{md,yml}'] }, ['.github/ci.yml', 'README.md']],
  [{ excludePatterns: ['src*', '.*'] }, ['README.md']],
  [{ includePatterns: ['*.ts'], excludePatterns: ['deep', '/src-gen/**'] }, ['src/index.ts']],
  [{ path: 'src', includePatterns: ['*.ts'], excludePatterns: ['src/deep'] }, ['src/index.ts']],
])('%j leaves these files', async (config, paths) => {
  await stub();
  expect(headingsOf(await fetched(config))).toEqual(paths);
});

test.each([
  [{ style: 'plain' }, '==== src/index.ts ====\nexport const a = 1;  \n\n\nexport const b = 2;'],
  [
    { style: 'xml', compress: true },
    '<file path="src/index.ts">\nexport const a = 1;\nexport const b = 2;\n</file>',
  ],
  [{ compress: true }, '## src/index.ts\n\n```ts\nexport const a = 1;\nexport const b = 2;\n```'],
])('%j packs so', async (config, text) => {
  await stub();
  expect(await fetched({ includePatterns: ['index.ts'], ...config })).toBe(text);
});

test.each([
  ['ada/airports', '/api/repos/ada/airports/tarball'],
  ['github.com/ada/airports/', '/api/repos/ada/airports/tarball'],
  ['https://www.github.com/ada/airports.git?tab=readme#top', '/api/repos/ada/airports/tarball'],
  ['git@github.com:ada/airports.git', '/api/repos/ada/airports/tarball'],
  ['https://github.com/ada/airports/tree/v1', '/api/repos/ada/airports/tarball/v1'],
  [
    'https://github.com/ada/airports/blob/v1/src/index.ts',
    '/api/repos/ada/airports/contents/src/index.ts?ref=v1',
  ],
])('%s is a repository', async (repository, path) => {
  const asked = await stub();
  await runStep('fetch-github', { repository });
  expect(asked[0]?.path).toBe(path);
});

test('the token is sent to GitHub, and not with a redirect to another host', async () => {
  const other = await web(() => ({ body: archive }));
  const asked = await stub(() => ({ status: 302, headers: { location: other.url } }));
  await fetched({ auth: { type: 'bearer', token: '{{ t }}' } }, { t: 's3cret' });
  expect(asked[0]?.headers.authorization).toBe('Bearer s3cret');
  expect(other.asked[0]?.headers.authorization).toBeUndefined();
});

test.each<[object, WebAnswer, string, boolean]>([
  [
    {},
    jsonWebAnswer({ message: 'Not Found' }, { status: 404 }),
    'GitHub does not have ada/airports, or does not show it. Set auth to a token',
    false,
  ],
  [{ path: 'x/y', branch: 'b' }, { status: 404 }, 'GitHub does not have ada/airports/x/y at b', false],
  [{ auth: { type: 'bearer', token: 't' } }, { status: 401 }, 'GitHub rejected the token in auth', false],
  [
    {},
    { status: 403, headers: { 'x-ratelimit-remaining': '0' } },
    'The GitHub rate limit is exhausted. Set auth to a token',
    true,
  ],
  [{}, { status: 429 }, 'The GitHub rate limit is exhausted', true],
  [
    {},
    jsonWebAnswer({ message: 'Repository access blocked' }, { status: 451 }),
    'GitHub answered 451 for ada/airports: Repository access blocked',
    false,
  ],
  [{}, { status: 502, body: '<html>' }, 'GitHub answered 502 for ada/airports', true],
  [
    { path: 'm' },
    jsonWebAnswer({ type: 'submodule' }),
    'ada/airports/m is neither a file nor a directory, but submodule',
    false,
  ],
  [{ path: 'm' }, { body: 'oops' }, 'ada/airports/m is neither a file nor a directory', false],
  [
    { path: 'm' },
    jsonWebAnswer({ type: 'file', encoding: 'base64', content: 'AAEC' }),
    'ada/airports/m is not text',
    false,
  ],
  [
    { includePatterns: ['*.java'] },
    { body: archive },
    'ada/airports has no text file that matches the patterns',
    false,
  ],
  [{}, { status: 302, headers: { location: 'http://169.254.169.254/' } }, 'is not a public address', false],
])('%j fails on %j', async (config, answer, message, retryable) => {
  await stub(() => answer);
  expect(await stepFailure(fetched(config))).toMatchObject({
    message: expect.stringContaining(message),
    retryable,
  });
});

const tar = (size: number) => tarball([{ path: 'r/a', body: 'a'.repeat(size) }]);
test.each<[string, () => Uint8Array, string]>([
  ['no archive', () => Buffer.from('<html>'), 'The archive is broken'],
  ['cut off', () => archive.subarray(0, 200), 'The archive is broken'],
  ['no tar', () => gzipSync('hello'), 'The archive is broken: The data is not a tar archive'],
  ['packed twice', () => gzipSync(archive), 'The archive is broken: The data is not a tar archive'],
  ['empty', () => Buffer.alloc(0), 'The archive is broken'],
  [
    'a tar that ends in a file',
    () => gzipSync(gunzipSync(archive).subarray(0, 2_048)),
    'The archive is broken',
  ],
  ['a text of more than 4 MB', () => tar(4_000_001), 'has more than 4000000 bytes of text: set path'],
  [
    'a bomb of zeros',
    () => tarball([{ path: 'r/a', body: Buffer.alloc(201_000_000) }]),
    'has more than 200000000 bytes',
  ],
  [
    'more than 50,000 files',
    () => tarball(Array.from({ length: 50_001 }, (_, n) => ({ path: `r/${n}` }))),
    'more than 50000 files',
  ],
  ['more than 25 MB', () => Buffer.alloc(25_000_001), 'more than 25000000 bytes'],
])('an archive that is %s is rejected', async (_name, body, message) => {
  const bytes = body();
  await stub(() => ({ body: bytes }));
  expect(await stepFailure(fetched({}))).toMatchObject({
    message: expect.stringContaining(message),
    retryable: false,
  });
});

test('data after the end of an archive is not read', async () => {
  const bytes = gzipSync(
    Buffer.concat([gunzipSync(tarball([{ path: 'r/a.md', body: 'x' }])), Buffer.alloc(201_000_000)]),
  );
  await stub(() => ({ body: bytes }));
  expect(await fetched({})).toBe('## a.md\n\n```md\nx\n```');
});

test('patterns designed to be slow are not slow', async () => {
  const paths = Array.from({ length: 500 }, (_, n) => ({ path: `r/${'a'.repeat(80)}${n}`, body: 'x' }));
  await stub(() => ({ body: tarball(paths) }));
  const slow = ['*a'.repeat(90), '+(a|aa)'.repeat(25), '**/'.repeat(60), '{a,b}'.repeat(40), '('.repeat(200)];
  const failure = await stepFailure(
    fetched({ includePatterns: slow.map((pattern) => `${pattern}Z`.slice(-200)) }),
  );
  expect(failure.message).toContain('has no text file');
});

test.each([
  'http://169.254.169.254/x/y',
  'https://gitlab.com/a/b',
  'ada',
  '../..',
  'a/..',
  'a/b/issues/1',
  'a b/c',
  '',
  'a/b%2f..',
])('%j is not a repository, and no request is sent', async (repo) => {
  const asked = await stub();
  const failure = await stepFailure(runStep('fetch-github', { repo: '{{ repo }}' }, { variables: { repo } }));
  expect(failure.message).toContain('Not a GitHub repository');
  expect(asked).toEqual([]);
});

test.each(['../../../user', 'a/./b', '..'])('the path %s is rejected', async (path) => {
  const asked = await stub();
  expect((await stepFailure(fetched({ path }))).message).toContain('must not contain . or ..');
  expect(asked).toEqual([]);
});

test.each([
  [{}, 'repo: Give either repo or repository'],
  [{ repo: 'a/b', repository: 'a/b' }, 'repo: Give either repo or repository'],
  [{ repo: 'a/b', style: 'yaml' }, expect.stringContaining('style: ')],
  [{ repo: 'a/b', includePatterns: '*.ts' }, expect.stringContaining('includePatterns: ')],
  [{ repo: 'a/b', excludePatterns: [''] }, expect.stringContaining('excludePatterns.0: ')],
  [{ repo: 'a/b', compress: 'yes' }, expect.stringContaining('compress: ')],
  [
    { repo: 'a/b', auth: { type: 'basic', username: 'u', password: 'p' } },
    expect.stringContaining('auth.type: '),
  ],
  [{ repo: 'a/b', token: 'x' }, expect.stringContaining('Unrecognized key: "token"')],
])('%j is rejected', async (config, problem) => {
  expect(await configProblems('fetch-github', config)).toContainEqual(problem);
});

test('a file that is not in UTF-8 keeps its letters or says that it lost some, alone and among others', async () => {
  const old = { 'old.txt': Buffer.from('Café', 'latin1') };
  const cut = Buffer.concat([Buffer.from('Zürich, ß, M'), Buffer.from([0xc3])]);
  const packed = tarball(
    Object.entries({ ...old, 'cut.txt': cut }).map(([path, body]) => ({ path: `a/${path}`, body })),
  );
  await stub(({ path }) =>
    path.includes('/tarball')
      ? { type: 'application/x-gzip', body: packed }
      : jsonWebAnswer({ type: 'file', encoding: 'base64', content: old['old.txt'].toString('base64') }),
  );
  const warning = (message: string) => ({ code: 'TEXT_ENCODING', message, count: 1 });
  const guessed = warning('old.txt names no encoding and was read as windows-1252');
  const alone = await runStep('fetch-github', { repository: 'ada/airports', path: 'old.txt' });
  expect(alone).toMatchObject({ output: 'Café', warnings: [guessed] });
  const all = await runStep('fetch-github', { repository: 'ada/airports' });
  expect(all.output).toContain('Zürich, ß, M\uFFFD');
  const damaged = 'cut.txt contains bytes that are not utf-8, which were replaced by \uFFFD';
  expect(all.warnings).toEqual(expect.arrayContaining([guessed, warning(damaged)]));
});
