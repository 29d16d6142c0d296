import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { openApi } from '../../shared/platform/http/openapi.ts';
import { groups } from '../index.ts';
import type { Site } from './site.ts';

const own = (file: string) => readFile(new URL(`./docs/${file}`, import.meta.url), 'utf8');
const swaggerUi = (file: string) =>
  readFile(createRequire(import.meta.url).resolve(`swagger-ui-dist/${file}`), 'utf8');

/** The API document. Clients compare its version on each request, so caches must revalidate it. */
export const apiDocument: Site = {
  routes: ['/openapi.json'],
  headers: { 'cache-control': 'no-cache' },
  files: async () => ({ '/openapi.json': JSON.stringify(openApi(groups)) }),
};

/** The reference page: Swagger UI, which loads only from this origin. */
export const referencePage: Site = {
  routes: ['/docs', '/docs/{proxy+}'],
  headers: { 'cache-control': 'public, max-age=86400' },
  files: async () => ({
    '/docs': await own('page.html'),
    '/docs/swagger-ui.js': `${await swaggerUi('swagger-ui-bundle.js')}\n${await own('start.js')}`,
    '/docs/swagger-ui.css': await swaggerUi('swagger-ui.css'),
  }),
};
