import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';

const root = resolve(import.meta.dirname, '..');
const folders =
  '{shared,functions,infra,console,packages,bench,docs/generate,examples,test/support}/**/*.{ts,tsx}';
/** Made from the API document, or what makes it. */
const generated = ['packages/client/src/api.ts', 'packages/client/generate/*-module.ts'];

const declaration = /^export (?:async |abstract )?(?:function\*?|const|class|interface|type) (\w+)/gm;
const namesIn = (file: string) =>
  new Set([...readFileSync(join(root, file), 'utf8').matchAll(declaration)].map(([, name = '']) => name));

const exported = globSync(folders, {
  cwd: root,
  exclude: ['**/{node_modules,dist}/**', ...generated],
}).flatMap((file) => [...namesIn(file)].map((name) => ({ file, name })));

/** What every file of a kind exports. */
const conventions = ['handler', 'requirements'];
/** One thing in two programs, which cannot import each other's module: the console, the tests, the documents. */
const sameMeaning = [
  ...['Agent', 'ApiKey', 'Flow', 'JsonSchema', 'KeyStatus', 'Operator', 'Priority', 'PromptCaching'],
  ...['RunDetails', 'SchemeName', 'Span', 'Trace', 'goTo'],
];
const isEndpointHelper = (files: readonly string[]) =>
  files.length === 2 &&
  ['functions/', 'test/support/'].every((own) => files.some((file) => file.startsWith(own)));

test('an exported name has one meaning', () => {
  expect(exported.length).toBeGreaterThan(5_000);
  const shared = [...Map.groupBy(exported, ({ name }) => name)]
    .map(([name, all]) => [name, all.map(({ file }) => file)] as const)
    .filter(([name, files]) => files.length > 1 && !conventions.includes(name) && !sameMeaning.includes(name))
    // A helper of the tests calls the operation whose name it has.
    .filter(([, files]) => !isEndpointHelper(files));
  expect(Object.fromEntries(shared)).toEqual({});
});

test('an exported function or constant is not named `xOf`: a noun or a verb says what it is', () => {
  expect(exported.filter(({ name }) => /^[a-z]\w*Of$/.test(name))).toEqual([]);
});
