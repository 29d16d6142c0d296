import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { glob, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'esbuild';
import { loadOnce } from '../../../shared/core/concurrency/load-once.ts';

/**
 * Large packages, of which most of a bundle's input consists: hundreds of files, which esbuild would read again for each
 * Lambda. None of them has to be found at its own path at run time.
 */
const large =
  /^(?:@aws-sdk\/(?:client-|lib-|util-)|@ai-sdk\/|@modelcontextprotocol\/|@a2a-js\/sdk|undici$|jose$)/;
/** Packages share it with the project, so there must be only one. */
const external = ['zod', 'zod/*'];

const root = fileURLToPath(new URL('../../../', import.meta.url));
/** Within `node_modules`, where the packages that stay outside are found. */
const folder = join(root, 'node_modules/.cache/packed-packages');

/**
 * Packs what the project imports of large packages into few files, once.
 * @returns the file for each import, as esbuild's `alias`.
 */
export const packedPackages = loadOnce(async (): Promise<Record<string, string>> => {
  const imports = await importsOf(large);
  const target = join(folder, await keyOf(imports));
  if (!existsSync(target)) await pack(imports, target);
  return Object.fromEntries(Array.from(imports.keys(), (name) => [name, join(target, fileOf(name))]));
});

/** The names that the project imports of each package; `*` if it loads the package later. */
type Imports = ReadonlyMap<string, ReadonlySet<string>>;

async function importsOf(wanted: RegExp): Promise<Imports> {
  const imports = new Map<string, Set<string>>();
  const add = (name: string, part: string) => {
    if (wanted.test(name)) imports.set(name, (imports.get(name) ?? new Set()).add(part));
  };
  for await (const path of glob(['{functions,shared}/**/*.ts', 'infra/aws/teardown/*.ts'], { cwd: root })) {
    const text = await readFile(join(root, path), 'utf8');
    for (const [, parts = '', name = ''] of text.matchAll(/^import \{([^}]*)\} from '([^']+)';$/gm)) {
      for (const [, part = ''] of parts.matchAll(/(?:^|,)\s*(?!type )(\w+)/g)) add(name, part);
    }
    for (const [, name = ''] of text.matchAll(/\bimport\('([^']+)'\)/g)) add(name, '*');
  }
  return new Map([...imports].toSorted());
}

async function keyOf(imports: Imports): Promise<string> {
  const hash = createHash('sha256').update(
    JSON.stringify([...imports].map(([name, parts]) => [name, [...parts].toSorted()])),
  );
  for (const path of [fileURLToPath(import.meta.url), join(root, 'package-lock.json')]) {
    hash.update(await readFile(path));
  }
  return hash.digest('hex').slice(0, 20);
}

const fileOf = (name: string) => `${name}.mjs`;
/** Each name is an entry of its own, so that a bundle leaves out the files of those that it does not import. */
const partsOf = (parts: ReadonlySet<string>) => (parts.has('*') ? ['*'] : [...parts]);
const entryOf = (name: string, part: string) => `${name}/${part === '*' ? 'all' : part}`;

async function pack(imports: Imports, target: string): Promise<void> {
  const made = `${target}.${process.pid}`;
  const exported = new Map(
    [...imports].flatMap(([name, parts]) =>
      partsOf(parts).map((part) => [
        entryOf(name, part),
        part === '*' ? `export * from '${name}';` : `export { ${part} } from '${name}';`,
      ]),
    ),
  );
  await build({
    entryPoints: Object.fromEntries(Array.from(exported.keys(), (entry) => [entry, `packed:${entry}`])),
    outdir: made,
    outExtension: { '.js': '.mjs' },
    chunkNames: 'chunks/[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    mainFields: ['module', 'main'],
    minifyWhitespace: true,
    minifySyntax: true,
    external,
    logLevel: 'error',
    plugins: [virtualFiles(exported)],
  });
  for (const [name, parts] of imports) {
    const lines = partsOf(parts).map(
      (part) =>
        `export ${part === '*' ? '*' : `{ ${part} }`} from './${relative(dirname(name), entryOf(name, part))}.mjs';`,
    );
    await mkdir(dirname(join(made, name)), { recursive: true });
    await writeFile(join(made, fileOf(name)), lines.join('\n'));
  }
  // An entry that a bundle does not need has no effect; what a needed one imports may have.
  await writeFile(
    join(made, 'package.json'),
    JSON.stringify({ type: 'module', sideEffects: ['./chunks/*'] }),
  );
  // Another process may have packed the same.
  await rename(made, target).catch(() => rm(made, { recursive: true, force: true }));
  for (const other of await readdir(folder)) {
    if (!join(folder, other).startsWith(target))
      await rm(join(folder, other), { recursive: true, force: true });
  }
}

const virtualFiles = (texts: ReadonlyMap<string, string>): Plugin => ({
  name: 'packed',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^packed:/ }, ({ path }) => ({
      path: path.slice('packed:'.length),
      namespace: 'packed',
    }));
    onLoad({ filter: /.*/, namespace: 'packed' }, ({ path }) => ({
      contents: texts.get(path) ?? '',
      resolveDir: root,
    }));
  },
});
