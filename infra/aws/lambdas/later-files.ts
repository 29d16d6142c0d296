import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join, posix, relative } from 'node:path';
import { build } from 'esbuild';
import type { CommonCode, Reached } from './chunks.ts';
import { banner, forLambda } from './esbuild-options.ts';

/** What a chunk imports from another: `[exported, local]`. Empty, if it only has to be loaded before. */
interface Import {
  from: string;
  names: readonly (readonly [string, string])[];
}

/** A minified chunk, without its imports of others. */
export interface LaterFile {
  imports: readonly Import[];
  body: string;
}

/** Minifies chunks. */
export async function minifyChunks(
  { directory, chunks }: CommonCode,
  names: ReadonlySet<string>,
): Promise<Map<string, LaterFile>> {
  const { outputFiles } = await build({
    ...forLambda,
    external: [],
    entryPoints: Array.from(names, (name) => join(directory, name)),
    outdir: directory,
    outbase: directory,
    minify: true,
    write: false,
  });
  const files = outputFiles.map(({ path, text }) => {
    const name = relative(directory, path);
    return [name, splitImports(name, text, chunks.get(name)?.imports ?? [])] as const;
  });
  return new Map(files);
}

/** @throws if the text does not begin with the imports that esbuild says it has. */
function splitImports(chunk: string, text: string, expected: readonly string[]): LaterFile {
  const statement = /import(?:\{([^}]*)\}from)?"(\.[^"]+)";/y;
  const imports: Import[] = [];
  let end = 0;
  for (let match = statement.exec(text); match; match = statement.exec(text)) {
    const [, names = '', path = ''] = match;
    imports.push({ from: posix.join(posix.dirname(chunk), path), names: namesIn(names) });
    end = statement.lastIndex;
  }
  const missing = new Set(expected).symmetricDifference(new Set(imports.map(({ from }) => from)));
  if (missing.size > 0)
    throw new Error(`The imports of ${chunk} could not be read: ${[...missing].join(', ')}`);
  return { imports, body: text.slice(end) };
}

const namesIn = (list: string) =>
  list.split(',').flatMap((each) => {
    const [exported = '', local = exported] = each.split(' as ');
    return exported ? [[exported, local] as const] : [];
  });

/** What the later files of a Lambda import from its start, by chunk. */
export function importedFromStart(
  files: ReadonlyMap<string, LaterFile>,
  { start, later }: Reached,
): Map<string, Set<string>> {
  const imported = new Map<string, Set<string>>();
  for (const { from, names } of Array.from(later).flatMap((name) => files.get(name)?.imports ?? [])) {
    if (!start.has(from)) continue;
    imported.set(from, new Set([...(imported.get(from) ?? []), ...names.map(([exported]) => exported)]));
  }
  return imported;
}

/** The name under which the start of a Lambda exports what a chunk in it exports. */
export const startName = ({ start }: Reached, chunk: string, name: string) =>
  `${name}$${[...start].indexOf(chunk)}`;

/** Writes the later files of a Lambda, which import from its start what is in it. */
export async function writeLaterFiles(
  files: ReadonlyMap<string, LaterFile>,
  reached: Reached,
  folder: string,
): Promise<void> {
  for (const chunk of reached.later) {
    const { imports = [], body = '' } = files.get(chunk) ?? {};
    const path = join(folder, chunk);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(
      path,
      `${banner}\n${imports.map((each) => statementOf(each, chunk, reached)).join('')}${body}`,
    );
  }
}

function statementOf({ from, names }: Import, chunk: string, reached: Reached): string {
  const isStart = reached.start.has(from);
  if (isStart && names.length === 0) return '';
  const list = names.map(([exported, local]) => {
    const name = isStart ? startName(reached, from, exported) : exported;
    return `${name} as ${local}`;
  });
  const bindings = list.length > 0 ? `{${list.join(',')}}from` : '';
  const path = posix.relative(posix.dirname(chunk), isStart ? 'index.mjs' : from);
  return `import${bindings}"${path.startsWith('.') ? path : `./${path}`}";`;
}
