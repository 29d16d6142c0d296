import { createHash, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadApiDocument } from './plugins/api-document.ts';

interface Folders {
  /** Of the page and its sources. */
  root: string;
  /** Where builds are kept. */
  kept: string;
}

/** The content of each file of a build. Builds only if a source has changed that the last build was made of. */
export async function keptBuild({ root, kept }: Folders): Promise<Record<string, Uint8Array>> {
  const folder = (await builtBefore({ root, kept })) ?? (await build({ root, kept }));
  const names = await readdir(folder);
  const files = names.map(async (name) => [name, await readFile(join(folder, name))] as const);
  return Object.fromEntries(await Promise.all(files));
}

const listOf = (kept: string) => join(kept, 'inputs.json');

/** A source that is not in the list of the last build can only be imported by a change of one that is. */
async function builtBefore({ root, kept }: Folders): Promise<string | undefined> {
  if (!existsSync(listOf(kept))) return undefined;
  const inputs = JSON.parse(await readFile(listOf(kept), 'utf8')) as string[];
  const folder = join(kept, await hashOf(root, inputs));
  return existsSync(folder) ? folder : undefined;
}

/** Processes may build at the same time: the first to end wins, and the others wrote the same. */
async function build({ root, kept }: Folders): Promise<string> {
  const started = join(kept, randomUUID());
  await mkdir(started, { recursive: true });
  const { bundleConsole } = await import('./bundle.ts');
  const { files, inputs } = await bundleConsole(root);
  for (const { name, content } of files) await writeFile(join(started, name), content);
  const paths = inputs.map((path) => relative(root, path));
  const folder = join(kept, await hashOf(root, paths));
  await rename(started, folder).catch(() => rm(started, { recursive: true, force: true }));
  await writeFile(`${started}.json`, JSON.stringify(paths));
  await rename(`${started}.json`, listOf(kept));
  return folder;
}

async function hashOf(root: string, inputs: readonly string[]): Promise<string> {
  const hash = createHash('sha256');
  // Forms are made of its schemas.
  hash.update(JSON.stringify(loadApiDocument()));
  for (const path of [...(await recipe()), ...inputs.map((input) => join(root, input))]) {
    // One that is gone is a change too.
    hash.update(`${relative(root, path)}\n`).update(await readFile(path).catch(() => 'gone'));
  }
  return hash.digest('hex').slice(0, 20);
}

/** The files that say how the console is built, and with which libraries. */
async function recipe(): Promise<string[]> {
  const consoleFolder = fileURLToPath(new URL('.', import.meta.url));
  const plugins = await readdir(join(consoleFolder, 'plugins'));
  return [
    ...['bundle.ts', 'tsconfig.json', '../tsconfig.json', '../package-lock.json'].map((name) =>
      join(consoleFolder, name),
    ),
    ...plugins.toSorted().map((name) => join(consoleFolder, 'plugins', name)),
  ];
}
