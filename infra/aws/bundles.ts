import { cp, mkdir, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { build, type Plugin } from 'esbuild';
import { type Entry, entries } from './entries.ts';

/** The folder of each Lambda's code, by the Lambda's id. */
export type Bundles = Readonly<Record<string, string>>;

/** Packages whose files a group reads as files, and so carries along. */
const carried: Record<string, readonly string[]> = {
  docs: [
    'swagger-ui-dist/package.json',
    'swagger-ui-dist/swagger-ui-bundle.js',
    'swagger-ui-dist/swagger-ui.css',
  ],
};

/** CommonJS packages inside an ES module still look for these. */
const banner = `import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);`;

/**
 * Middy wants the status texts of `node:http`. An ES import of that module has Node load all that it exports, its
 * built-in undici too: 15 ms of a cold start.
 */
const lightHttp: Plugin = {
  name: 'light-http',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node:http$/ }, ({ importer, path }) =>
      importer.includes('@middy') ? { path, namespace: 'light-http' } : null,
    );
    onLoad({ filter: /.*/, namespace: 'light-http' }, () => ({
      contents: "export const { STATUS_CODES } = process.getBuiltinModule('node:http');",
    }));
  },
};

/** Bundles every Lambda into a folder of its own: what it loads at its start in one file, what it loads later beside it. */
export async function buildBundles(directory: string): Promise<Bundles> {
  await rm(directory, { recursive: true, force: true });
  const folders = await Promise.all(
    entries.map(async (entry) => [entry.id, await bundle(entry, directory)] as const),
  );
  return Object.fromEntries(folders);
}

export async function bundle({ id, file, group }: Entry, directory: string): Promise<string> {
  const outdir = join(directory, id);
  await build({
    entryPoints: { index: file },
    outdir,
    outExtension: { '.js': '.mjs' },
    chunkNames: 'later/[name]-[hash]',
    bundle: true,
    splitting: true,
    minify: true,
    keepNames: false,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    mainFields: ['module', 'main'],
    banner: { js: banner },
    plugins: [lightHttp],
    logLevel: 'error',
  });
  for (const path of carried[group] ?? []) {
    const target = join(outdir, 'node_modules', path);
    await mkdir(dirname(target), { recursive: true });
    await cp(createRequire(import.meta.url).resolve(path), target);
  }
  return outdir;
}
