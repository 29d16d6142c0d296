import { glob, rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

/**
 * Runs after `npm ci`. Removes files that no program reads: the C headers of the package `node` (67 MB), and, where the
 * packages of development are left out, the source maps of all packages (70 MB).
 */
const cwd = fileURLToPath(new URL('../../node_modules/', import.meta.url));
const withoutDevelopment = process.env.npm_config_omit?.split('\n').includes('dev') ?? false;
const unread = ['node/node_modules/node-*/include', ...(withoutDevelopment ? ['**/*.map'] : [])];

for await (const path of glob(unread, { cwd })) await rm(cwd + path, { recursive: true });
