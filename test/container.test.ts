import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { endpoints } from '../functions/index.ts';
import {
  dockerfileEnvironment,
  dockerfileStages,
  execCommand,
  ignoredBy,
  readFromRoot,
} from './support/files/dockerfile.ts';

const stages = [...dockerfileStages(readFromRoot('Dockerfile')).values()];
const image = stages.at(-1) ?? [];
const only = (name: string) => {
  const found = image.filter((instruction) => instruction.name === name);
  if (found.length !== 1 || !found[0]) throw new Error(`The Dockerfile has ${found.length} ${name}`);
  return found[0];
};
const manifest = JSON.parse(readFromRoot('package.json'));
const lock = JSON.parse(readFromRoot('package-lock.json'));
const [service] = Object.values(parse(readFromRoot('compose.yaml')).services) as [
  { volumes: string[]; ports: string[] },
];

test('the image has exactly the Node that the project installs', () => {
  const tag = `node:${lock.packages['node_modules/node'].version}-slim`;
  expect(stages.map(([from]) => from?.text.replace(/ AS .*/, ''))).toEqual(stages.map(() => tag));
});

test('the image runs what npm start runs, without npm and not as root', () => {
  expect(execCommand(only('CMD')).join(' ')).toBe(manifest.scripts.start);
  expect(only('USER').text).toBe('node');
});

test('the health check asks the health endpoint', () => {
  const health = endpoints.find(({ id }) => id === 'public.health');
  expect(execCommand(only('HEALTHCHECK')).at(-1)).toContain(health?.path);
});

test('the data directory is a volume, of the image and of the service', () => {
  const { DATA_DIR, PORT } = dockerfileEnvironment(image);
  expect(only('VOLUME').text).toBe(DATA_DIR);
  expect(service.volumes.map((volume) => volume.split(':')[1])).toEqual([DATA_DIR]);
  expect(service.ports.map((port) => port.split(':').at(-1))).toEqual([PORT]);
  expect(only('EXPOSE').text).toBe(PORT);
});

test('the context has no data, no credentials, no packages and nothing that is generated', () => {
  const isIgnored = ignoredBy(readFromRoot('.dockerignore'));
  const outside = [
    '.git/config',
    '.local/credentials.json',
    '.env',
    'node_modules/zod/index.js',
    'cdk.out/manifest.json',
    'console/dist/console.html',
    'packages/client/src/api.ts',
    'packages/client/dist/client.js',
    'infra/npm.log',
    'test/support/stack/stack.ts',
    'console/node_modules/x/index.js',
  ];
  expect(outside.filter((path) => !isIgnored(path))).toEqual([]);
  const inside = [
    'package.json',
    'infra/local/main.ts',
    'console/src/main.tsx',
    'packages/client/src/client.ts',
    'packages/client/package.json',
    'shared/core/log.ts',
    'examples/embeddings.ts',
    'examples/json-of-schema.ts',
    'examples/model-stand-in.ts',
  ];
  expect(inside.filter(isIgnored)).toEqual([]);
});
