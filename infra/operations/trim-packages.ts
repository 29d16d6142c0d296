import { glob, readFile, rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

/**
 * Runs after `npm ci`. Removes what no program reads: the C headers of the package `node` (67 MB), and after
 * `--omit=dev` the source maps (70 MB) and the packages of development that npm installs because another package names
 * them as optional (40 MB).
 */
const withoutDevelopment = process.env.npm_config_omit?.split('\n').includes('dev') ?? false;
const root = fileURLToPath(new URL('../../', import.meta.url));
const { devDependencies } = JSON.parse(await readFile(`${root}package.json`, 'utf8'));
const ofDevelopment = [...Object.keys(devDependencies), '@esbuild', '@typescript', '**/*.map'];
const unread = ['node/node_modules/node-*/include', ...(withoutDevelopment ? ofDevelopment : [])];

const cwd = `${root}node_modules/`;
for await (const path of glob(unread, { cwd })) await rm(cwd + path, { recursive: true, force: true });
