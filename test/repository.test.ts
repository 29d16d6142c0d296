import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';
import { tokenizer } from 'acorn';
import { analyse } from 'scslre';
import { expect, test } from 'vitest';
import { detailCodes } from '../shared/core/errors/error-codes.ts';

const root = resolve(import.meta.dirname, '..');
const ignored = ['.git', 'node_modules', '.local', 'cdk.out'];

/** Every file of the repository below a folder, by its path from the root. */
function filesIn(folder = ''): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true })
    .filter(({ name }) => !ignored.includes(name))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      return entry.isDirectory() ? filesIn(path) : [path];
    });
}

const files = filesIn();
const sources = files.filter((path) => path.endsWith('.ts'));
const documents = files.filter((path) => path.endsWith('.md'));
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const commentsIn = (text: string) =>
  text
    .split('\n')
    .flatMap((line) => /^\s*(?:\/\/|\/\*\*?|\*)(.*)$/.exec(line)?.[1] ?? [])
    .join('\n');

const foldersAtRoot = readdirSync(root, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && !ignored.includes(entry.name))
  .map(({ name }) => name);
const pathFromRoot = new RegExp(`(?<![\\w./-])(?:${foldersAtRoot.join('|')})/[\\w./-]*`, 'g');

test('comments and documents name only existing files and folders of the project', () => {
  const named = [
    ...sources.map((path) => [path, commentsIn(read(path))] as const),
    ...documents.map((path) => [path, read(path)] as const),
  ];
  const missing = named.flatMap(([path, text]) =>
    (text.match(pathFromRoot) ?? [])
      .map((name) => name.replace(/[./-]+$/, ''))
      .filter((name) => !existsSync(join(root, name)))
      .map((name) => `${path}: ${name}`),
  );
  expect(missing).toEqual([]);
});

// zod's `params` are not typed, unlike the codes of all other details.
test('the list of codes contains every code that schemas assign to issues', () => {
  const given = sources
    .filter((path) => /^(?:shared|functions)\//.test(path))
    .flatMap((path) => [...read(path).matchAll(/params\b[^\n]*\bcode: '(\w+)'/g)].map(([, code]) => code));
  expect(given.length).toBeGreaterThan(10);
  expect(given.filter((code) => !Object.hasOwn(detailCodes, code ?? ''))).toEqual([]);
});

test('every link in the documents resolves', () => {
  const broken = documents.flatMap((path) =>
    [...read(path).matchAll(/\]\((?!https?:)([^)#\s]+)[^)]*\)/g)]
      .map(([, link = '']) => link)
      .filter((link) => !existsSync(join(root, dirname(path), link)))
      .map((link) => `${path}: ${link}`),
  );
  expect(broken).toEqual([]);
});

test('every document says something', () => {
  // A merge once left a changelog of no lines.
  expect(documents.filter((path) => !/^#.*\n+\S/m.test(read(path)))).toEqual([]);
});

test('nothing refers to a document outside the repository', () => {
  const others =
    /\b(?:semantics|shapes)-\w+\b|\((?:specification|contract|design),|\b(?:design|style|language)\.md\b/;
  const referring = [...sources, ...documents]
    .filter((path) => path !== relative(root, import.meta.filename))
    .filter((path) => others.test(path.endsWith('.md') ? read(path) : commentsIn(read(path))));
  expect(referring).toEqual([]);
});

test('every test file’s folder under test/ matches a source folder', () => {
  const strays = files
    // What other people's generators make of the API document is a package of its own.
    .filter((path) => /^test\/(?!generators\/).*\.test\.ts$/.test(path))
    .filter((path) => {
      const tested = join(root, relative('test', dirname(path)));
      return !existsSync(tested) || !statSync(tested).isDirectory();
    });
  expect(strays).toEqual([]);
});

test('no module has a vague name, and none only re-exports others', () => {
  const vague = files.filter((path) => /(?:^|\/)(?:utils?|helpers?|common|misc)(?:\/|\.ts$)/.test(path));
  expect(vague).toEqual([]);
  const barrels = sources.filter((path) => /^export (?:\*|\{[^}]*\}) from /m.test(read(path)));
  expect(barrels).toEqual([]);
});

test('README names every folder of shared/', () => {
  const readme = read('README.md');
  const folders = readdirSync(join(root, 'shared'), { withFileTypes: true }).filter((entry) =>
    entry.isDirectory(),
  );
  expect(folders.map(({ name }) => name).filter((name) => !readme.includes(`\`${name}/\``))).toEqual([]);
});

test('every regular expression takes linear time on any input', () => {
  const slow = sources
    .filter((path) => /^(?:functions|shared)\//.test(path))
    .flatMap((path) =>
      regularExpressionsIn(read(path)).map(({ pattern, flags }) => ({ path, pattern, flags })),
    )
    .filter(({ pattern: source, flags }) => analyse({ source, flags }, { maxReports: 1 }).reports.length > 0)
    .map(({ path, pattern }) => `${path}: ${pattern}`);
  expect(slow).toEqual([]);
});

const regularExpressionsIn = (code: string) =>
  [...tokenizer(stripTypeScriptTypes(code), { ecmaVersion: 'latest', sourceType: 'module' })]
    .filter(({ type }) => type.label === 'regexp')
    .map((token) => (token as unknown as { value: { pattern: string; flags: string } }).value);

test('texts go into URLs as whole characters: encodeURIComponent throws at half of a pair of surrogates', () => {
  const checked = ['shared/core/text.ts', 'shared/core/redaction/secret-forms.ts'];
  // Of names that the issuer's claims have checked.
  checked.push('shared/platform/identity/principal.ts', 'shared/platform/auth/session.ts');
  const others = sources.filter(
    (path) => /^(shared|functions)\/(?!sites\/)/.test(path) && read(path).includes('encodeURIComponent'),
  );
  expect(others.filter((path) => !checked.includes(path) && !path.endsWith('code/texts.ts'))).toEqual([]);
});
