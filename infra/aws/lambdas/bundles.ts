import { cp, mkdir, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { type BuildOptions, build } from 'esbuild';
import { sites } from '../../../functions/sites/index.ts';
import { fontFiles } from '../../../shared/adapters/pdf/fonts.ts';
import { loadOnce } from '../../../shared/core/concurrency/load-once.ts';
import { forEachConcurrently } from '../../../shared/core/concurrency/map-concurrently.ts';
import { staticFilesLambda } from '../../routes.ts';
import { writeStaticFiles } from '../../static-files.ts';
import type { LambdaEntry } from '../conventions/entries.ts';
import { reachedChunks, writeChunks } from './chunks.ts';
import { banner, forLambda } from './esbuild-options.ts';
import { minifyChunks, writeLaterFiles } from './later-files.ts';
import { writeStartFiles } from './start-files.ts';

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
 * Bundles Lambdas, each into a folder of its own: `index.mjs` with what it loads at its start, and further files with what it
 * loads later. All are bundled together, which takes seconds; one by one took minutes (D150).
 */
export async function buildBundles(
  lambdas: readonly Pick<LambdaEntry, 'id' | 'file'>[],
  directory: string,
): Promise<Bundles> {
  // esbuild is a Go program, whose process starts with the first bundle. Collecting garbage took a third of its CPU time.
  Object.assign(process.env, { GOGC: 'off', GOMEMLIMIT: '1500MiB' });
  const files = Object.fromEntries(lambdas.map(({ id, file }) => [id, file]));
  const code = await writeChunks(files, join(directory, 'chunks'));
  const reached = new Map(lambdas.map(({ id }) => [id, reachedChunks(code, id)]));
  const later = await minifyChunks(code, new Set(reached.values().flatMap((each) => each.later)));
  const folders = Object.fromEntries(lambdas.map(({ id }) => [id, join(directory, id)]));
  await forEachConcurrently(Object.values(folders), 8, (folder) =>
    rm(folder, { recursive: true, force: true }),
  );
  await writeStartFiles(code, reached, later, directory);
  await forEachConcurrently(reached, 8, async ([id, usedChunks]) => {
    const folder = bundleFolder(folders, id);
    await writeLaterFiles(later, usedChunks, folder);
    const names = [...usedChunks.start, ...usedChunks.later];
    await addFiles(id, new Set(names.flatMap((name) => code.chunks.get(name)?.sources ?? [])), folder);
  });
  await rm(code.directory, { recursive: true });
  return folders;
}

/** What the code of a Lambda reads beside its modules. */
async function addFiles(id: string, usedChunks: ReadonlySet<string>, folder: string): Promise<void> {
  const modules = usedChunks.union(new Set(await writeThreadScripts(usedChunks, folder)));
  const paths = Object.entries(carried).flatMap(([module, files]) => (modules.has(module) ? files : []));
  for (const path of paths) {
    const target = join(folder, 'node_modules', path);
    await mkdir(dirname(target), { recursive: true });
    await cp(createRequire(import.meta.url).resolve(path), target);
  }
  if (id === staticFilesLambda) await writeStaticFiles(sites, join(folder, staticFilesFolder));
}

/** Scripts of worker threads, by the module that locates them by relative path. */
const scripts: Record<string, () => ReturnType<typeof bundleScript>> = {
  'shared/adapters/sandbox/pool.ts': loadOnce(() =>
    bundleScript('shared/adapters/sandbox-thread/thread.ts', 'sandbox-thread/thread', {
      splitting: true,
      banner: { js: banner },
      chunkNames: 'sandbox-thread/[name]-[hash]',
    }),
  ),
  // A package's own script keeps its name and format.
  'node_modules/piscina/dist/index.js': loadOnce(() =>
    bundleScript('node_modules/piscina/dist/worker.js', 'later/worker', { format: 'cjs', outExtension: {} }),
  ),
};

/** Writes the scripts of the threads that these modules start. @returns the modules in them. */
async function writeThreadScripts(modules: ReadonlySet<string>, folder: string): Promise<string[]> {
  const added: string[] = [];
  for (const [starter, bundled] of Object.entries(scripts)) {
    if (!modules.has(starter)) continue;
    const { files, sources } = await bundled();
    added.push(...sources);
    for (const { path, contents } of files) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), contents);
    }
  }
  return added;
}

/** A quarter of the Lambdas has the same scripts. */
async function bundleScript(file: string, name: string, options: BuildOptions) {
  const { outputFiles, metafile } = await build({
    ...forLambda,
    entryPoints: { [name]: file },
    outdir: 'threads',
    bundle: true,
    minify: true,
    ...options,
    write: false,
    metafile: true,
  });
  const files = outputFiles.map(({ path, contents }) => ({ path: relative('threads', path), contents }));
  return { files, sources: Object.keys(metafile.inputs) };
}
