import { fileURLToPath } from 'node:url';
import { loadOnce } from '../shared/core/concurrency/load-once.ts';
import { keptBuild } from './kept-build.ts';

const root = fileURLToPath(new URL('.', import.meta.url));
const kept = fileURLToPath(new URL('../node_modules/.cache/console', import.meta.url));

/**
 * The files of the console by path below `/console`; the page itself is `''`. Builds with Vite, unless the same sources
 * were built before.
 */
export const builtConsole = loadOnce(async (): Promise<Readonly<Record<string, Uint8Array>>> => {
  const { 'index.html': page = new Uint8Array(), ...assets } = await keptBuild({ root, kept });
  const atPaths = Object.entries(assets).map(([name, content]) => [`/assets/${name}`, content]);
  return { '': page, ...Object.fromEntries(atPaths) };
});
