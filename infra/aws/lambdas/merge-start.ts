import { rm, writeFile } from 'node:fs/promises';
import { dirname, join, posix, relative, resolve } from 'node:path';
import { type BuildOptions, build, type Metafile } from 'esbuild';

type Outputs = Metafile['outputs'];

/**
 * Puts the entry of a bundle and all chunks that it loads at its start into one file. esbuild makes a chunk for each set of
 * lazy imports that share modules, and a Lambda loaded up to a hundred of them one by one: a sixth of its cold start. The
 * chunks that lazy code shares with the start then only pass on what the entry exports.
 * @param outputs By their paths from the working directory.
 */
export async function mergeStart(outputs: Outputs, entry: string, options: BuildOptions): Promise<void> {
  const start = startOf(outputs, entry);
  const chunks = [...start].filter((path) => path !== entry);
  const folder = dirname(resolve(entry));
  await build({
    ...options,
    stdin: { contents: reexports(outputs, entry, chunks), resolveDir: folder, sourcefile: 'start.mjs' },
    outfile: entry,
    allowOverwrite: true,
    bundle: true,
    format: 'esm',
    plugins: [
      {
        name: 'lazy-chunks',
        setup({ onResolve }) {
          // Of the merged file, which lies in another folder than the chunk that imports them.
          onResolve({ filter: /^\./ }, ({ kind, path, resolveDir }) =>
            kind === 'dynamic-import'
              ? { external: true, path: `./${posix.normalize(relative(folder, join(resolveDir, path)))}` }
              : undefined,
          );
        },
      },
    ],
  });
  const needed = importedByLazyCode(outputs, start);
  await Promise.all(
    chunks.map((path) =>
      needed.has(path) ? writeFile(path, stubOf(outputs, entry, chunks, path)) : rm(path),
    ),
  );
}

/** The entry and what it imports, not counting lazy imports. */
function startOf(outputs: Outputs, entry: string): Set<string> {
  const start = new Set([entry]);
  for (const path of start) {
    for (const { path: imported, kind, external } of outputs[path]?.imports ?? []) {
      if (kind === 'import-statement' && !external) start.add(imported);
    }
  }
  return start;
}

function importedByLazyCode(outputs: Outputs, start: ReadonlySet<string>): Set<string> {
  const lazy = Object.entries(outputs).filter(([path]) => !start.has(path));
  const dynamic = Object.values(outputs).flatMap(({ imports }) =>
    imports.filter(({ kind }) => kind === 'dynamic-import'),
  );
  return new Set([...lazy.flatMap(([, { imports }]) => imports), ...dynamic].map(({ path }) => path));
}

const nameOf = (chunks: readonly string[], path: string, name: string) => `${name}$${chunks.indexOf(path)}`;

function reexports(outputs: Outputs, entry: string, chunks: readonly string[]): string {
  const from = (path: string) => `'./${relative(dirname(entry), path)}'`;
  const lines = chunks.map((path) => {
    const names = (outputs[path]?.exports ?? []).map((name) => `${name} as ${nameOf(chunks, path, name)}`);
    return `export { ${names.join(', ')} } from ${from(path)};`;
  });
  return [`export * from ${from(entry)};`, ...lines].join('\n');
}

/** A binding that is passed on stays live. */
function stubOf(outputs: Outputs, entry: string, chunks: readonly string[], path: string): string {
  const names = (outputs[path]?.exports ?? []).map((name) => `${nameOf(chunks, path, name)} as ${name}`);
  return `export { ${names.join(', ')} } from './${relative(dirname(path), entry)}';\n`;
}
