import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, globSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, delimiter, dirname, join, relative } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { listen } from '../infra/local/runtime/server.ts';
import {
  dockerfileEnvironment,
  dockerfileStages,
  execCommand,
  type Instruction,
  ignoredBy,
  readFromRoot,
} from './support/files/dockerfile.ts';
import { readStackFacts } from './support/stack/processes.ts';

/** Carries out the Dockerfile in folders instead of images, because a test machine has no container engine. */
const root = new URL('..', import.meta.url).pathname;
const stages = dockerfileStages(readFromRoot('Dockerfile'));
const image = [...stages.values()].at(-1) ?? [];
const folders = mkdtempSync(join(tmpdir(), 'image-'));
const folderOf = (stage: string) => join(folders, stage);
const finalFolder = folderOf([...stages.keys()].at(-1) ?? '');
const PATH = [dirname(process.execPath), process.env.PATH].join(delimiter);
/** With the proxy and the certificates of this machine, and without what npm says to the scripts that it runs. */
const building = Object.fromEntries(
  Object.entries({ ...process.env, PATH }).filter(([name]) => !name.startsWith('npm_')),
);
const bare = { PATH, HOME: folders, TMPDIR: tmpdir() };
/** As the user of the image has no rights on its files, where the tests may change users. */
const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

/** Paths that the image has at its root are in the folder of the stage. */
const placed = (text: string, folder: string) =>
  text.replaceAll(/(?<![\w.:/])\/(?=service|data)/g, `${folder}/`);
const textOf = (instructions: readonly Instruction[], name: string) =>
  instructions.find((instruction) => instruction.name === name)?.text ?? '';

const isIgnored = ignoredBy(readFromRoot('.dockerignore'));
const context = () =>
  execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
  })
    .split('\n')
    .filter((path) => path !== '' && !isIgnored(path));

function copy({ flags, text }: Instruction, folder: string, workdir: string): void {
  const paths = text.split(/\s+/);
  const target = paths.pop() ?? '';
  const into = target.startsWith('/') ? join(folder, target) : join(workdir, target);
  for (const path of paths) {
    if (flags.from)
      cpSync(join(folderOf(flags.from), path), into, { recursive: true, verbatimSymlinks: true });
    else if (path === '.') for (const file of context()) cpSync(join(root, file), join(into, file));
    else if (isIgnored(path)) throw new Error(`.dockerignore leaves out ${path}`);
    else cpSync(join(root, path), target.endsWith('/') ? join(into, basename(path)) : into);
  }
}

function build(stage: string, instructions: readonly Instruction[]): void {
  const folder = folderOf(stage);
  const workdir = join(folder, textOf(instructions, 'WORKDIR'));
  mkdirSync(workdir, { recursive: true });
  for (const instruction of instructions) {
    if (instruction.name === 'COPY') copy(instruction, folder, workdir);
    if (instruction.name !== 'RUN') continue;
    const command = placed(instruction.text, folder);
    const { status, stderr } = spawnSync('sh', ['-c', command], {
      cwd: workdir,
      env: building,
      encoding: 'utf8',
    });
    if (status !== 0) throw new Error(`${instruction.text} failed: ${stderr}`);
  }
}

let port = 0;
const processes: ChildProcess[] = [];
const environment = () => ({
  ...bare,
  ...Object.fromEntries(
    Object.entries(dockerfileEnvironment(image)).map(([name, value]) => [name, placed(value, finalFolder)]),
  ),
  PORT: String(port),
});

/** Runs a command of the image as its user. */
function run(instruction: Instruction | undefined, flags: string[] = []): ChildProcess {
  if (!instruction) throw new Error('The Dockerfile lacks it');
  const [command = '', ...parameters] = execCommand(instruction);
  const child = spawn(command, [...parameters, ...flags], {
    ...user,
    cwd: join(finalFolder, textOf(image, 'WORKDIR')),
    env: environment(),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  processes.push(child);
  return child;
}
const named = (name: string) => image.find((instruction) => instruction.name === name);
const exitOf = async (child: ChildProcess) => (await once(child, 'exit')) as [number | null, string | null];

beforeAll(async () => {
  for (const [stage, instructions] of stages) build(stage, instructions);
  const probe = createServer();
  port = await listen(probe, 0, '127.0.0.1');
  probe.close();
  chmodSync(folders, 0o755);
  const data = join(finalFolder, 'data');
  if (user.uid) execFileSync('chown', [`${user.uid}:${user.gid}`, data]);
}, 600_000);

afterAll(() => {
  for (const child of processes) child.kill('SIGKILL');
  rmSync(folders, { recursive: true, force: true });
}, 120_000);

test('the image starts, is healthy, stops on SIGTERM, and finds its data again', async () => {
  const first = run(named('CMD'), ['--json']);
  const facts = await readStackFacts(first);
  expect(await exitOf(run(named('HEALTHCHECK')))).toEqual([0, null]);
  const headers = { authorization: `Bearer ${facts.liveKey}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ name: 'kept', type: 'city', metadata: {} });
  const created = await fetch(`http://127.0.0.1:${port}/v1/records`, { method: 'POST', headers, body });
  expect(created.status).toBe(201);
  const { id } = (await created.json()) as { id: string };

  const ended = exitOf(first);
  first.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
  expect(await exitOf(run(named('HEALTHCHECK')))).toEqual([1, null]);

  const second = run(named('CMD'), ['--json']);
  expect((await readStackFacts(second)).liveKey).toBe(facts.liveKey);
  expect((await fetch(`http://127.0.0.1:${port}/v1/records/${id}`, { headers })).status).toBe(200);
}, 120_000);

test('the image holds the built console, and serves it without building', async () => {
  const page = await fetch(`http://127.0.0.1:${port}/console`);
  expect(await page.text()).toContain('<div id="console">');
  const builds = globSync('service/node_modules/.cache/console/*/', { cwd: finalFolder });
  expect(builds).toHaveLength(1);
});

test('the image has no packages of development, and no second Node', () => {
  const packages = join(finalFolder, 'service/node_modules');
  for (const name of ['aws-cdk-lib', 'vitest', 'typescript', 'node']) {
    expect(statSync(join(packages, name), { throwIfNoEntry: false }), name).toBeUndefined();
  }
  expect(relative(finalFolder, packages)).toBe('service/node_modules');
});
