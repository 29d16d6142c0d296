import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Site } from './site.ts';
import { strictPolicy } from './strict-policy.ts';

const readOwnFile = (file: string) => readFile(new URL(`./chat/${file}`, import.meta.url), 'utf8');
const scripts = ['script', 'service', 'answer', 'messages', 'markdown', 'parts', 'status', 'theme'];
const ownScripts = async () =>
  Object.fromEntries(
    await Promise.all(scripts.map(async (name) => [`/chat/${name}.js`, await readOwnFile(`${name}.js`)])),
  );

/** A file of a package, for browsers. */
const library = (name: string, file: string) => {
  const manifest = createRequire(import.meta.url).resolve(`${name}/package.json`);
  return readFile(join(dirname(manifest), file), 'utf8');
};

/**
 * The page of a chat surface. It is the same for every surface, whether it exists or not: its script opens the chat with
 * the id in its path. It shows texts of models, so it builds elements from them and never reads them as HTML.
 */
export const chatPage: Site = {
  routes: ['/v1/products/{id}/surfaces/{surfaceId}/page', '/chat/{proxy+}'],
  headers: { ...strictPolicy, 'cache-control': 'no-cache' },
  files: async () => ({
    '/v1/products/{id}/surfaces/{surfaceId}/page': await readOwnFile('page.html'),
    ...(await ownScripts()),
    '/chat/style.css': await readOwnFile('style.css'),
    '/chat/marked.js': await library('marked', 'lib/marked.esm.js'),
    '/chat/eventsource-parser.js': await library('eventsource-parser', 'dist/index.js'),
  }),
};
