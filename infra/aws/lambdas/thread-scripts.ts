import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { type BuildOptions, build } from 'esbuild';
import { loadOnce } from '../../../shared/core/concurrency/load-once.ts';
import { banner, forLambda } from './esbuild-options.ts';

/** Scripts of worker threads, by the module that locates them by relative path. */
const scripts: Record<string, () => ReturnType<typeof bundleScript>> = {
  'shared/adapters/sandbox/threads.ts': loadOnce(() =>
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
export async function writeThreadScripts(modules: ReadonlySet<string>, folder: string): Promise<string[]> {
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
