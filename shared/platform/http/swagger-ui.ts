import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';

/** The renderer's files, read from its package; a deployed function carries them in its `node_modules`. */
export const swaggerUi = (file: 'swagger-ui-bundle.js' | 'swagger-ui.css') =>
  readFile(createRequire(import.meta.url).resolve(`swagger-ui-dist/${file}`), 'utf8');
