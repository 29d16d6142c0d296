import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { newTenant, stack } from '../../support/stack/stack.ts';

const run = promisify(execFile);
const fromRoot = (path: string) => resolve(import.meta.dirname, '../../..', path);
const packageFolder = fromRoot('packages/client');
const npm = (parameters: string[], cwd: string) => run('npm', parameters, { cwd });

/** The examples of the README, as one program. */
const program = [...readFileSync(join(packageFolder, 'README.md'), 'utf8').matchAll(/```ts\n(.*?)```/gs)]
  .map(([, code]) => code)
  .join('\n');
const printed = [
  'Greeting',
  'null 2',
  'SFO',
  'OSL',
  'step_complete true',
  'true',
  '400 TOO_SMALL name',
  'true',
  '1',
];

/** A project that has the package as npm would install it, and the program. */
let project: string;

beforeAll(async () => {
  project = mkdtempSync(join(tmpdir(), 'client-'));
  const installed = join(project, 'node_modules/agent-flow-client');
  mkdirSync(installed, { recursive: true });
  await npm(['pack', '--pack-destination', project], packageFolder);
  const { version } = JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8'));
  await run('tar', ['-xzf', `agent-flow-client-${version}.tgz`, '-C', installed, '--strip-components=1'], {
    cwd: project,
  });
  writeFileSync(join(project, 'package.json'), '{ "type": "module" }');
  writeFileSync(join(project, 'program.ts'), program);
});

test('it could be published: the settings are complete, and only what is built is in it', async () => {
  const { stdout } = await npm(['publish', '--dry-run', '--ignore-scripts', '--json'], packageFolder);
  const report = JSON.parse(stdout);
  const { files } = report['agent-flow-client'] ?? report;
  const paths = files.map(({ path }: { path: string }) => path);
  expect(paths).toEqual(expect.arrayContaining(['LICENSE', 'README.md', 'package.json', 'dist/client.js']));
  expect(paths.filter((path: string) => !/^(?:[^/]+|dist\/[\w-]+(?:\.d\.ts|\.js))$/.test(path))).toEqual([]);
});

const newCompiler = createRequire(import.meta.url).resolve('typescript/package.json');
const oldCompiler = createRequire(fromRoot('test/generators/package.json')).resolve(
  'typescript/package.json',
);

test.for([
  ['TypeScript 7', 'nodenext', newCompiler],
  ['TypeScript 7', 'bundler', newCompiler],
  ['TypeScript 5', 'nodenext', oldCompiler],
] as const)('its types compile with %s and the resolution %s', async ([, resolution, path]) => {
  const options = [
    ...['--noEmit', '--strict', '--exactOptionalPropertyTypes', '--target', 'esnext'],
    ...['--module', resolution === 'bundler' ? 'esnext' : resolution, '--moduleResolution', resolution],
    ...['--types', 'node', '--typeRoots', fromRoot('node_modules/@types')],
  ];
  const tsc = (...files: string[]) =>
    run(process.execPath, [join(dirname(path), 'bin/tsc'), ...options, ...files], { cwd: project }).catch(
      ({ stdout }) => ({ stdout }),
    );
  expect((await tsc('program.ts')).stdout).toBe('');
  const wrong = join(project, `wrong-${resolution}.ts`);
  writeFileSync(wrong, `${program}\nawait client.flows.create({ body: { title: 'A name it is' } });`);
  expect((await tsc(wrong)).stdout).toContain("'title' does not exist");
});

const runtimes: Record<string, [command: string, ...parameters: string[]]> = {
  'Node.js': [process.execPath],
  Deno: ['npx', '-y', 'deno@2', 'run', '--allow-env', '--allow-net'],
  Bun: ['npx', '-y', 'bun@1'],
};

test.for(Object.entries(runtimes))(
  'its README runs on %s',
  { timeout: 300_000 },
  async ([, [command, ...parameters]]) => {
    const { token } = await newTenant();
    const { stdout } = await run(command, [...parameters, 'program.ts'], {
      cwd: project,
      env: { ...process.env, NO_COLOR: '1', API: stack().url, KEY: token },
    });
    expect(stdout.trim().split('\n')).toEqual(printed);
  },
);
