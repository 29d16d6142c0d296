import { readFile } from 'node:fs/promises';
import type { Site } from './site.ts';

const own = (file: string) => readFile(new URL(`./setup/${file}`, import.meta.url), 'utf8');

/**
 * The page of a setup link. People enter secrets here, so its policy forbids other origins, inline code, eval, frames,
 * caching and referrers.
 */
export const setupScreen: Site = {
  routes: ['/secrets/setup', '/secrets/setup/{proxy+}'],
  headers: {
    'content-security-policy': [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "connect-src 'self'",
      'img-src data:',
      "form-action 'none'",
      "base-uri 'none'",
      "frame-ancestors 'none'",
      "require-trusted-types-for 'script'",
      "trusted-types 'none'",
    ].join('; '),
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-frame-options': 'DENY',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'permissions-policy': 'camera=(), geolocation=(), microphone=()',
  },
  files: async () => ({
    '/secrets/setup': await own('page.html'),
    '/secrets/setup/script.js': await own('script.js'),
    '/secrets/setup/fields.js': await own('fields.js'),
    '/secrets/setup/style.css': await own('style.css'),
  }),
};
