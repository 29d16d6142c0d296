import { readFile } from 'node:fs/promises';
import { openApi } from '../../shared/platform/http/openapi.ts';
import { groups } from '../index.ts';
import type { Site } from './site.ts';
import { strictPolicy } from './strict-policy.ts';

const readOwnFile = (file: string) => readFile(new URL(`./docs/${file}`, import.meta.url), 'utf8');

/** The API document. Clients compare its version on each request, so caches must revalidate it. */
export const apiDocument: Site = {
  routes: ['/openapi.json'],
  headers: { 'cache-control': 'no-cache' },
  files: async () => ({ '/openapi.json': JSON.stringify(openApi(groups)) }),
};

/**
 * The reference page: Scalar, which loads only from this origin. It writes its styles into the page, so the policy must
 * allow those in elements.
 */
export const referencePage: Site = {
  routes: ['/docs', '/docs/{proxy+}'],
  headers: {
    ...strictPolicy,
    'content-security-policy': [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self' 'unsafe-inline'",
      "connect-src 'self'",
      "img-src 'self' data:",
      "form-action 'none'",
      "base-uri 'none'",
      "frame-ancestors 'none'",
    ].join('; '),
    'cache-control': 'public, max-age=86400',
  },
  files: async () => ({
    '/docs': await readOwnFile('page.html'),
    '/docs/script.js': `${(await import('./docs/script.ts')).referenceScript()}\n${await readOwnFile('start.js')}`,
    '/docs/style.css': await readOwnFile('style.css'),
  }),
};
