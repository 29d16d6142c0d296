import { glob, readFile, rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

/**
 * Runs after `npm ci`. Removes what no program reads: the C headers of the package `node` (67 MB), and after
 * `--omit=dev` the source maps (70 MB) and the packages of development that npm installs because another package names
 * them as optional (40 MB).
 */
const withoutDevelopment = process.env.npm_config_omit?.split('\n').includes('dev') ?? false;
const root = fileURLToPath(new URL('../../', import.meta.url));
const json = async (name: string) => JSON.parse(await readFile(root + name, 'utf8'));
const [{ devDependencies }, { packages }] = await Promise.all(
  ['package.json', 'package-lock.json'].map(json),
);
// The lock file marks what no other package needs. A package of the service may depend on one of development, too.
const unneeded = Object.keys(devDependencies).filter((name) => {
  const { dev, devOptional, optional, peer } = packages[`node_modules/${name}`] ?? {};
  return dev || devOptional || optional || peer;
});
const ofDevelopment = [...unneeded, '@esbuild', '@typescript', '**/*.map'];
const unread = ['node/node_modules/node-*/include', ...(withoutDevelopment ? ofDevelopment : [])];

const cwd = `${root}node_modules/`;
for await (const path of glob(unread, { cwd })) await rm(cwd + path, { recursive: true, force: true });
