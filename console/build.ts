import { createHash, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadOnce } from '../shared/core/load-once.ts';
import { apiDocument } from './plugins/api-document.ts';

const root = fileURLToPath(new URL('.', import.meta.url));
const kept = join(root, '../node_modules/.cache/console');

/**
 * The files of the console by path below `/console`; the page itself is `''`. Builds with Vite, unless the same sources
 * were built before.
 */
export const builtConsole = loadOnce(async (): Promise<Readonly<Record<string, Uint8Array>>> => {
  const folder = join(kept, await hashOfInputs());
  if (!existsSync(folder)) await buildInto(folder);
  const names = await readdir(folder);
  const files = names.map(async (name) => [name, await readFile(join(folder, name))] as const);
  const { 'index.html': page = new Uint8Array(), ...assets } = Object.fromEntries(await Promise.all(files));
  const atPaths = Object.entries(assets).map(([name, content]) => [`/assets/${name}`, content]);
  return { '': page, ...Object.fromEntries(atPaths) };
});

/** Processes may build at the same time: the first to end wins, and the others wrote the same. */
async function buildInto(folder: string): Promise<void> {
  const started = `${folder}.${randomUUID()}`;
  await mkdir(started, { recursive: true });
  const { bundle } = await import('./bundle.ts');
  for (const { name, content } of await bundle(root)) await writeFile(join(started, name), content);
  await rename(started, folder).catch(() => rm(started, { recursive: true, force: true }));
}

async function hashOfInputs(): Promise<string> {
  const sources = await readdir(root, { recursive: true, withFileTypes: true });
  const files = sources
    .filter((each) => each.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .concat(join(root, '../functions/client.ts'), join(root, '../package-lock.json'))
    .toSorted();
  const hash = createHash('sha256');
  // Forms are made of its schemas.
  hash.update(JSON.stringify(apiDocument()));
  for (const file of files) hash.update(`${relative(root, file)}\n`).update(await readFile(file));
  return hash.digest('hex').slice(0, 20);
}
