import { join, posix, relative } from 'node:path';
import { build, type Plugin } from 'esbuild';
import { type CommonCode, entryChunk, type Reached } from './chunks.ts';
import { banner, forLambda } from './esbuild-options.ts';
import { importedFromStart, type LaterFile, startName } from './later-files.ts';

/**
 * Writes the file that each Lambda loads at its start, `index.mjs`: its own code and that of all chunks which it loads with
 * it, without what neither they nor its later files use. Loading the chunks one by one took a sixth of a cold start.
 * @param lambdas By id.
 * @param directory That of the bundles.
 */
export async function writeStartFiles(
  code: CommonCode,
  lambdas: ReadonlyMap<string, Reached>,
  files: ReadonlyMap<string, LaterFile>,
  directory: string,
): Promise<void> {
  const texts = new Map(Array.from(lambdas, ([id, reached]) => [id, exportsOf(id, reached, files)]));
  await build({
    ...forLambda,
    entryPoints: Object.fromEntries(Array.from(lambdas.keys(), (id) => [`${id}/index`, `start:${id}`])),
    outdir: directory,
    bundle: true,
    minify: true,
    banner: { js: banner },
    plugins: [startTexts(texts, code.directory), lazyImports(code.directory)],
  });
}

function exportsOf(id: string, reached: Reached, files: ReadonlyMap<string, LaterFile>): string {
  const lines = Array.from(importedFromStart(files, reached), ([chunk, names]) => {
    const list = Array.from(names, (name) => `${name} as ${startName(reached, chunk, name)}`);
    return `export { ${list.join(', ')} } from './${chunk}';`;
  });
  return [`export * from './${entryChunk(id)}';`, ...lines].join('\n');
}

const startTexts = (texts: ReadonlyMap<string, string>, resolveDir: string): Plugin => ({
  name: 'start-texts',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^start:/ }, ({ path }) => ({
      path: path.slice('start:'.length),
      namespace: 'start',
    }));
    onLoad({ filter: /.*/, namespace: 'start' }, ({ path }) => ({
      contents: texts.get(path) ?? '',
      resolveDir,
    }));
  },
});

/** The later files of a bundle have the same paths from its `index.mjs` as their chunks from the directory of the chunks. */
const lazyImports = (directory: string): Plugin => ({
  name: 'lazy-imports',
  setup({ onResolve }) {
    onResolve({ filter: /^\./ }, ({ kind, path, resolveDir }) =>
      kind === 'dynamic-import'
        ? { external: true, path: `./${posix.normalize(relative(directory, join(resolveDir, path)))}` }
        : undefined,
    );
  },
});
