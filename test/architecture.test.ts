import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { expect, test } from 'vitest';

const root = resolve(import.meta.dirname, '..');

/** The layers of `shared/`, each of which may import from itself and from those before it. */
const layers = ['core', 'platform', 'adapters', 'domain', 'execution', 'protocols'];

const filesIn = (folder: string): string[] =>
  readdirSync(join(root, folder), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)));

/** What a file imports of the project: at its beginning, when it runs, or for the compiler alone. */
const importsOf = (file: string): string[] =>
  [...readFileSync(join(root, file), 'utf8').matchAll(/(?:\bfrom\s+|\bimport\s*\(?\s*)'(\.[^']+)'/g)].map(
    ([, name = '']) => relative(root, resolve(root, dirname(file), name)),
  );

const shared = filesIn('shared');
const imports = shared.flatMap((from) => importsOf(from).map((to) => ({ from, to })));
const layerOf = (path: string) => layers.indexOf(path.split('/')[1] ?? '');
const told = ({ from, to }: { from: string; to: string }) => `${from} -> ${to}`;

test('every file in shared/ belongs to a layer', () => {
  expect(shared.filter((file) => layerOf(file) < 0)).toEqual([]);
});

test('a layer of shared/ imports only from itself and lower layers', () => {
  expect(imports.length).toBeGreaterThan(shared.length);
  const upwards = imports.filter(({ from, to }) => !to.startsWith('shared/') || layerOf(to) > layerOf(from));
  expect(upwards.map(told)).toEqual([]);
});

/** Where a partition of the sweepers is made, in which items of several entities stand. */
const sweeps = 'shared/platform/cleanup/sweeps.ts';

test('only entity modules create partitions, and only one module writes the tenant into keys', () => {
  const code = [...shared, ...filesIn('functions'), ...filesIn('infra')];
  const withText = (pattern: RegExp) =>
    code.filter((file) => pattern.test(readFileSync(join(root, file), 'utf8')));
  const keys = 'shared/platform/data/keys.ts';
  const makers = withText(/\b(tenant|shared)Partition\b/).filter((file) => file !== keys);
  expect(makers).not.toEqual([]);
  expect(new Set(makers).difference(new Set(withText(/\bdefineEntity\(\{/)))).toEqual(new Set([sweeps]));
  expect(withText(/['"`]T#/)).toEqual([keys]);
});

test('folders of shared/ and functions/ have no circular imports', () => {
  const edges = [...shared, ...filesIn('functions')].flatMap((from) =>
    importsOf(from).map((to) => ({ from, to })),
  );
  expect(circlesIn(edges).map((folders) => folders.join(', '))).toEqual([]);
});

test('the check detects a circular import', () => {
  const circle = ['a/x.ts b/x.ts', 'b/y.ts c/x.ts', 'c/y.ts a/y.ts', 'c/y.ts d/x.ts', 'd/x.ts d/y.ts'];
  const between = circle.map((line) => line.split(' ')).map(([from = '', to = '']) => ({ from, to }));
  expect(circlesIn(between)).toEqual([['a', 'b', 'c']]);
});

/** Groups of folders each of which leads to all others of its group. */
function circlesIn(edges: readonly { from: string; to: string }[]): string[][] {
  const leadsTo = new Map<string, Set<string>>();
  for (const { from, to } of edges) {
    const [one, other] = [dirname(from), dirname(to)];
    if (one !== other) leadsTo.set(one, (leadsTo.get(one) ?? new Set()).add(other));
  }
  const reached = new Map([...leadsTo.keys()].map((folder) => [folder, reachableFrom(folder, leadsTo)]));
  const circles = [...reached].map(([folder, all]) =>
    [...all].filter((other) => reached.get(other)?.has(folder)).toSorted(),
  );
  return [...new Map(circles.filter(({ length }) => length > 1).map((each) => [each.join(), each])).values()];
}

function reachableFrom(start: string, leadsTo: ReadonlyMap<string, ReadonlySet<string>>): Set<string> {
  const found = new Set<string>();
  const waiting = [start];
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    for (const next of leadsTo.get(folder) ?? []) {
      if (!found.has(next)) waiting.push(next);
      found.add(next);
    }
  }
  return found;
}
