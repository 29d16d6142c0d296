import { readFile } from 'node:fs/promises';
import { linkRequests } from './link-requests.ts';
import type { Site } from './site.ts';
import { strictPolicy } from './strict-policy.ts';

const readOwnFile = (file: string) => readFile(new URL(`./setup/${file}`, import.meta.url), 'utf8');

/**
 * The page of a setup link. People enter secrets here, so its policy forbids other origins, inline code, eval, frames,
 * caching and referrers.
 */
export const setupScreen: Site = {
  routes: ['/secrets/setup', '/secrets/setup/{proxy+}'],
  headers: { ...strictPolicy, 'cache-control': 'no-store' },
  files: async () => ({
    '/secrets/setup': await readOwnFile('page.html'),
    '/secrets/setup/script.js': await readOwnFile('script.js'),
    '/secrets/setup/fields.js': await readOwnFile('fields.js'),
    '/secrets/setup/link-requests.js': await linkRequests(),
    '/secrets/setup/style.css': await readOwnFile('style.css'),
  }),
};
