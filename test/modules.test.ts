import { globSync, readFileSync } from 'node:fs';
import { basename, dirname, join, normalize, resolve } from 'node:path';
import { expect, test } from 'vitest';

const root = resolve(import.meta.dirname, '..');
const files = globSync('{shared,functions,infra,console/src,packages/*/src,bench,docs}/**/*.{ts,tsx}', {
  cwd: root,
  exclude: ['**/{node_modules,dist}/**', '**/*.d.ts'],
});
const textOf = new Map(files.map((file) => [file, readFileSync(join(root, file), 'utf8')]));
const lines = (file: string) => (textOf.get(file) ?? '').split('\n').length - 1;

/** Smaller than what a module is good for. */
const fragmentLines = 60;
/** Fragments that stay by themselves, and why. */
const excused: Record<string, string> = {
  'shared/platform/auth/session-kind.ts': 'a file for each kind of credential',
  'shared/platform/auth/setup-link-kind.ts': 'a file for each kind of credential',
  'shared/platform/auth/surface-key-kind.ts': 'a file for each kind of credential',
  'infra/aws/region-stack.ts': 'tested without the app, which is made when its module is loaded',
  'infra/local/parent.ts': 'tested in a process of its own',
  'console/src/screens/agents/parts/agent-patch.ts': 'tested without a browser',
  'console/src/screens/home/overview/failure-reasons.ts': 'tested without a browser',
  'console/src/screens/runs/data/newest-pages.ts': 'tested without a browser',
  'console/src/screens/settings/audit-change.ts': 'tested without a browser',
  'console/src/screens/settings/tools/argument-schema.ts': 'tested without a browser',
  'console/src/ui/charts/stacked.ts': 'tested without a browser',
  'console/src/ui/resource/changed.ts': 'tested without a browser',
  'console/src/ui/values/line-difference.ts': 'tested without a browser',
};

/** What lists others by name: each of those is a file of its own. */
const isRegistry = (file: string) => /^(?:index|[a-z-]*screens)\.tsx?$/.test(basename(file));

interface Import {
  from: string;
  to: string;
  isLazy: boolean;
}

const anyImport = /(\bfrom\s+|\bimport\s*\(\s*|^import\s+|new URL\()'(\.[^']+)'/gm;
const imports: Import[] = files.flatMap((from) =>
  [...(textOf.get(from) ?? '').matchAll(anyImport)].map(([, kind = '', path = '']) => ({
    from,
    to: normalize(join(dirname(from), path)),
    isLazy: /import\s*\(|URL/.test(kind),
  })),
);

function fragmentsAmong(all: readonly string[], edges: readonly Import[]): string[] {
  const users = Map.groupBy(edges, ({ to }) => to);
  return all.filter((file) => {
    const found = users.get(file) ?? [];
    const [user] = new Set(found.map(({ from }) => from));
    if (!user || found.some(({ from, isLazy }) => from !== user || isLazy)) return false;
    return dirname(user) === dirname(file) && lines(file) < fragmentLines && ![user, file].some(isRegistry);
  });
}

test('a file of less than 60 lines whose only user stands beside it belongs into that user', () => {
  expect(imports.length).toBeGreaterThan(files.length);
  const fragments = fragmentsAmong(files, imports).filter(
    (file) => !/^(?:functions|bench|docs)\//.test(file),
  );
  expect(fragments.toSorted()).toEqual(Object.keys(excused).toSorted());
});

test('the check finds a fragment, and neither what is loaded when it is used nor what two use', () => {
  const of = (from: string, to: string, isLazy = false) => ({ from, to, isLazy });
  const edges = [
    of('a/one.ts', 'a/part.ts'),
    of('a/one.ts', 'a/lazy.ts', true),
    of('a/one.ts', 'a/both.ts'),
    of('b/two.ts', 'a/both.ts'),
    of('b/two.ts', 'a/far.ts'),
    of('a/index.ts', 'a/kind.ts'),
  ];
  const all = [...new Set(edges.map(({ to }) => to))];
  expect(fragmentsAmong(all, edges)).toEqual(['a/part.ts']);
});
