import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { headingAnchors } from '../../docs/generate/anchors.ts';

const root = resolve(import.meta.dirname, '../..');
const documents = globSync('**/*.md', { cwd: root, exclude: ['**/node_modules/**', '.*/**', 'cdk.out/**'] });
const read = (path: string) => readFileSync(path, 'utf8');

/** The links and images of a document, without those in code. */
const linksOf = (text: string) =>
  [
    ...text
      .replace(/^\s*(`{3,})[^\n]*\n[\s\S]*?\n\s*\1\s*$/gm, '')
      .replace(/`[^`\n]*`/g, '')
      .matchAll(/\]\(\s*(?!https?:|mailto:)([^)\s]+)[^)]*\)/g),
  ].map(([, link = '']) => link);

test('every relative link and anchor in the documents resolves', () => {
  const broken = documents.flatMap((path) =>
    linksOf(read(join(root, path)))
      .filter((link) => !resolves(path, link))
      .map((link) => `${path}: ${link}`),
  );
  expect(documents.length).toBeGreaterThan(20);
  expect(broken).toEqual([]);
});

function resolves(from: string, link: string): boolean {
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? join(root, from) : join(root, dirname(from), decodeURI(path));
  if (!existsSync(target)) return false;
  if (anchor === undefined) return true;
  return statSync(target).isFile() && headingAnchors(read(target)).includes(anchor);
}

test('anchors are made as GitHub makes them', () => {
  const text =
    '# The layers of `shared/`\n## Vectors, files and PDFs\n```sh\n# no heading\n```\n## A [link](x)\n## A link\n';
  expect(headingAnchors(text)).toEqual([
    'the-layers-of-shared',
    'vectors-files-and-pdfs',
    'a-link',
    'a-link-1',
  ]);
});

test('every document can be reached from the README by links', () => {
  const reached = new Set<string>();
  const visit = (path: string) => {
    if (reached.has(path) || !path.endsWith('.md')) return;
    reached.add(path);
    for (const link of linksOf(read(join(root, path)))) {
      const [target = ''] = link.split('#');
      if (target !== '') visit(join(dirname(path), target));
    }
  };
  visit('README.md');
  const lost = documents.filter((path) => !reached.has(path) && !/^(?:test\/|AGENTS\.md$)/.test(path));
  expect(lost).toEqual([]);
});
