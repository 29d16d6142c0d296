import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';

const root = resolve(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');

/** The text of each entry, with its file, by the bullets of the areas. */
const entries = globSync('docs/decisions/*.md', { cwd: root })
  .filter((path) => !path.endsWith('README.md'))
  .flatMap((path) =>
    read(path)
      .split(/^(?=- )|^(?=#)/m)
      .filter((part) => part.startsWith('- '))
      .map((text) => ({ path, text: text.replaceAll(/\s+/g, ' ').trim() })),
  );

const numberOf = (text: string) => /^- (D[1-9]\d*): /.exec(text)?.[1];
const shown = ({ path, text }: { path: string; text: string }) => `${path}: ${text.slice(0, 60)}`;

test('every decision has a number and a sentence in bold', () => {
  const form = /^- D[1-9]\d*: \*\*.+?\.\*\*(?: |$)/;
  expect(entries.filter(({ text }) => !form.test(text)).map(shown)).toEqual([]);
});

test('every number of a decision is given once', () => {
  const numbers = entries.map(({ text }) => numberOf(text));
  expect(numbers.filter((number, index) => numbers.indexOf(number) !== index)).toEqual([]);
});

test('there are at most 300 decisions, of at most 70 words each', () => {
  expect(entries.length).toBeLessThanOrEqual(300);
  expect(entries.filter(({ text }) => text.split(' ').length > 70).map(shown)).toEqual([]);
});

test('code and documents name only decisions that exist', () => {
  const numbers = new Set(entries.map(({ text }) => numberOf(text)));
  const files = globSync('**/*.{ts,tsx,md}', {
    cwd: root,
    exclude: ['**/node_modules/**', '.*/**', 'cdk.out/**'],
  }).filter((path) => path !== 'docs/decisions/README.md' && !import.meta.filename.endsWith(path));
  const named = files.flatMap((path) =>
    [...read(path).matchAll(/\bD\d+\b/g)].map(([number]) => ({ path, number })),
  );
  expect(named.length).toBeGreaterThan(entries.length);
  expect(named.filter(({ number }) => !numbers.has(number))).toEqual([]);
});
