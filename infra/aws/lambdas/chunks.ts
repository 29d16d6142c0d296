import { rm } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { build } from 'esbuild';
import { forLambda, lightHttp, zodNamespace } from './esbuild-options.ts';

/** A file of the common code. Its paths are those in the directory of the chunks. */
interface Chunk {
  /** What it loads at once. */
  imports: readonly string[];
  /** What it loads when it needs it. */
  lazyImports: readonly string[];
  /** The source files in it, from the working directory. */
  sources: readonly string[];
}

/** The code of all Lambdas. Each module is in one chunk. */
export interface CommonCode {
  /** An absolute path. */
  directory: string;
  chunks: ReadonlyMap<string, Chunk>;
}

/** The chunk of a Lambda's own code. */
export const entryChunk = (id: string) => `${id}.mjs`;

/**
 * Writes the code of these Lambdas, so that modules which the same Lambdas use, and the same lazy imports, are in one chunk.
 * Reading and parsing the modules once takes a second. It is not minified, so that code which a Lambda does not need can
 * still be left out of its bundle.
 * @param files By the id of the Lambda.
 */
export async function writeChunks(
  files: Readonly<Record<string, string>>,
  directory: string,
): Promise<CommonCode> {
  await rm(directory, { recursive: true, force: true });
  const { metafile } = await build({
    ...forLambda,
    entryPoints: files,
    outdir: directory,
    chunkNames: 'later/[name]-[hash]',
    bundle: true,
    splitting: true,
    minifySyntax: true,
    plugins: [lightHttp, zodNamespace],
    metafile: true,
  });
  const nameOf = (path: string) => relative(directory, path);
  const chunks = new Map<string, Chunk>();
  for (const [path, { imports, inputs }] of Object.entries(metafile.outputs)) {
    const internal = imports.filter(({ external }) => !external);
    const namesOf = (lazy: boolean) =>
      internal.filter(({ kind }) => (kind === 'dynamic-import') === lazy).map((each) => nameOf(each.path));
    chunks.set(nameOf(path), {
      imports: namesOf(false),
      lazyImports: namesOf(true),
      sources: Object.keys(inputs),
    });
  }
  return { directory: resolve(directory), chunks };
}

/** The chunks of a Lambda. */
export interface Reached {
  /** Loaded at its start. */
  start: ReadonlySet<string>;
  later: ReadonlySet<string>;
}

/** @throws if a chunk of the start can also be loaded later, for which the bundles have no form. */
export function reachedChunks({ chunks }: CommonCode, id: string): Reached {
  const closure = (isLazy: boolean) => {
    const reached = new Set([entryChunk(id)]);
    for (const name of reached) {
      const { imports = [], lazyImports = [] } = chunks.get(name) ?? {};
      for (const next of isLazy ? [...imports, ...lazyImports] : imports) reached.add(next);
    }
    return reached;
  };
  const start = closure(false);
  const all = closure(true);
  const both = [...all]
    .flatMap((name) => chunks.get(name)?.lazyImports ?? [])
    .find((name) => start.has(name));
  if (both) throw new Error(`${join(id, both)} is loaded at the start and by a lazy import`);
  return { start, later: all.difference(start) };
}
