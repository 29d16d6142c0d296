import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import { staticFilesLambda } from '../../routes.ts';

/** What a bundle was made of. */
const Manifest = z.object({ inputs: z.array(z.string()), hash: z.string() });

/** How bundles are made, and of which packages. */
const recipe = ['./bundles.ts', '../../../package-lock.json'].map((path) =>
  fileURLToPath(new URL(path, import.meta.url)),
);

/**
 * The bundles of a directory, each beside a list of its sources. A source that is not in the list can only be imported by
 * a change of one that is.
 * @param options Of esbuild. Others make other bundles.
 */
export function keptBundles(directory: string, options: object) {
  const hashes = new Map<string, Promise<string>>();
  const manifestOf = (id: string) => join(directory, `${id}.json`);

  /** Many bundles have the same sources. */
  function hashOfFile(path: string): Promise<string> {
    const known = hashes.get(path) ?? readFile(path).then(sha256, () => 'gone');
    hashes.set(path, known);
    return known;
  }

  async function hashOf(inputs: readonly string[]): Promise<string> {
    const all = await Promise.all([...recipe, ...inputs].map(hashOfFile));
    return sha256(JSON.stringify([options, inputs, all]));
  }

  async function isCurrent(id: string): Promise<boolean> {
    // Its files are generated from more than its sources.
    if (id === staticFilesLambda || !existsSync(join(directory, id))) return false;
    // One that is missing, or that an interrupted synthesis has not written in full.
    const manifest = await readFile(manifestOf(id), 'utf8')
      .then((text) => Manifest.parse(JSON.parse(text)))
      .catch(() => undefined);
    return manifest !== undefined && (await hashOf(manifest.inputs)) === manifest.hash;
  }

  return {
    /** The folder of a bundle. @param bundle Makes it. */
    async folderOf(id: string, bundle: () => Promise<{ sources: Iterable<string> }>): Promise<string> {
      const folder = join(directory, id);
      if (await isCurrent(id)) return folder;
      await rm(manifestOf(id), { force: true });
      await rm(folder, { recursive: true, force: true });
      const inputs = [...(await bundle()).sources];
      await writeFile(manifestOf(id), JSON.stringify({ inputs, hash: await hashOf(inputs) }));
      return folder;
    },

    /** Removes the bundles of Lambdas that do not exist any more. */
    async removeOthers(ids: readonly string[]): Promise<void> {
      const names = new Set(ids.flatMap((id) => [id, `${id}.json`]));
      const others = (await readdir(directory)).filter((name) => !names.has(name));
      await Promise.all(others.map((name) => rm(join(directory, name), { recursive: true })));
    },
  };
}

const sha256 = (content: string | Uint8Array) => createHash('sha256').update(content).digest('hex');
