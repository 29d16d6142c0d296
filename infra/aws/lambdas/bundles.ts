import { cp, mkdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';
import { basename, dirname, extname, join, relative } from 'node:path';
import { type BuildOptions, build, type Metafile, type Plugin } from 'esbuild';
import { sites } from '../../../functions/sites/index.ts';
import { fontFiles } from '../../../shared/adapters/pdf/fonts.ts';
import { forEachConcurrently } from '../../../shared/core/concurrency/for-each-concurrently.ts';
import { staticFilesLambda } from '../../routes.ts';
import { writeStaticFiles } from '../../static-files.ts';
import { entries, type LambdaEntry } from '../conventions/entries.ts';
import { keptBundles } from './kept-bundles.ts';
import { mergeStart } from './merge-start.ts';
import { packedPackages } from './packed-packages.ts';

/** The folder of the static files in the bundle of their Lambda. */
export const staticFilesFolder = 'static';

/** The code folder of each Lambda, by id. */
export type Bundles = Readonly<Record<string, string>>;

/** @throws if the Lambda was not bundled. */
export function bundleFolder(bundles: Bundles, id: string): string {
  const folder = bundles[id];
  if (!folder) throw new Error(`The bundle of ${id} is missing`);
  return folder;
}

/** The Lambda that empties a stack that is deleted. It is no part of the service. */
export const teardownLambda = { id: 'teardown', file: 'infra/aws/teardown/handler.ts' };

/** Data files that modules of packages read. They are copied into every bundle with the module. */
const carried: Record<string, readonly string[]> = {
  'shared/adapters/pdf/document.ts': fontFiles,
};

/**
 * Worker thread scripts, by the module that locates them by relative path. A package's own script keeps its name and
 * format.
 */
const threads: Record<string, { file: string; isPackage?: true }> = {
  'shared/adapters/sandbox/threads.ts': { file: 'shared/adapters/sandbox-thread/thread.ts' },
  'node_modules/piscina/dist/index.js': { file: 'node_modules/piscina/dist/worker.js', isPackage: true },
};

/** CommonJS packages in an ES module bundle still use these. */
const banner = `import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url), __dirname = import.meta.dirname;`;

/**
 * Middy needs the status texts of `node:http`. An ES import of that module makes Node load all its exports, including
 * undici: 15 ms of a cold start.
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

/** Packages that are loaded later name all of zod, which has messages in 50 languages: a third of what a Lambda loads. */
const oneLanguage: Plugin = {
  name: 'one-language',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({
      contents: "export { default as en } from './en.js';",
    }));
  },
};

/**
 * Bundles every Lambda into its own folder: one file for the startup code, further files for lazily loaded code. A Lambda
 * whose sources are those of its last bundle in the directory is not bundled again.
 * @param options Of esbuild, instead of those for a deployment.
 */
export async function buildBundles(directory: string, options: BuildOptions = {}): Promise<Bundles> {
  // esbuild is a Go program, whose process starts with the first bundle. Collecting garbage took a third of its CPU time.
  Object.assign(process.env, { GOGC: 'off', GOMEMLIMIT: '1500MiB' });
  const folders: Record<string, string> = {};
  const kept = keptBundles(directory, options);
  // All at once would take 6 GB and no less time.
  await forEachConcurrently([...entries, teardownLambda], availableParallelism(), async (entry) => {
    folders[entry.id] = await kept.folderOf(entry.id, () => bundleLambda(entry, directory, options));
  });
  await kept.removeOthers(Object.keys(folders));
  return folders;
}

export async function bundleLambda(
  { id, file: entry }: Pick<LambdaEntry, 'id' | 'file'>,
  directory: string,
  options: BuildOptions = {},
): Promise<{ folder: string; sources: Set<string> }> {
  const outdir = join(directory, id);
  const { outputs, inputs: modules } = await bundleFile({ index: entry }, outdir, options);
  const common = { ...target, ...options };
  await mergeStart(outputs, relative(process.cwd(), join(outdir, 'index.mjs')), common);
  for (const [starter, { file, isPackage }] of Object.entries(threads)) {
    if (!modules.has(starter)) continue;
    const name = `${isPackage ? 'later' : basename(dirname(file))}/${basename(file, extname(file))}`;
    const format: BuildOptions = isPackage
      ? { format: 'cjs', splitting: false, outExtension: {}, banner: {} }
      : {};
    // Under names of their own: those of the Lambda are merged.
    const more = { ...options, chunkNames: `${name}-[name]-[hash]`, ...format };
    for (const module of (await bundleFile({ [name]: file }, outdir, more)).inputs) modules.add(module);
  }
  const paths = Object.entries(carried).flatMap(([module, files]) => (modules.has(module) ? files : []));
  for (const path of paths) {
    const target = join(outdir, 'node_modules', path);
    await mkdir(dirname(target), { recursive: true });
    await cp(createRequire(import.meta.url).resolve(path), target);
  }
  if (id === staticFilesLambda) await writeStaticFiles(sites, join(outdir, staticFilesFolder));
  return { folder: outdir, sources: modules };
}

const target: BuildOptions = {
  minify: true,
  keepNames: false,
  platform: 'node',
  target: 'node24',
  mainFields: ['module', 'main'],
  // An optional native module of piscina, which cannot be bundled.
  external: ['@napi-rs/nice'],
  logLevel: 'error',
};

/** @returns what was written, and the source files. */
async function bundleFile(
  entryPoints: Record<string, string>,
  outdir: string,
  options: BuildOptions = {},
): Promise<{ outputs: Metafile['outputs']; inputs: Set<string> }> {
  const { metafile } = await build({
    entryPoints,
    outdir,
    outExtension: { '.js': '.mjs' },
    chunkNames: 'later/[name]-[hash]',
    bundle: true,
    splitting: true,
    ...target,
    format: 'esm',
    banner: { js: banner },
    plugins: [lightHttp, oneLanguage],
    ...(options.packages !== 'external' && { alias: await packedPackages() }),
    ...options,
    metafile: true,
  });
  return { outputs: metafile.outputs, inputs: new Set(Object.keys(metafile.inputs)) };
}
