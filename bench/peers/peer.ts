import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

/** Another product to measure beside ours. Its programs are kept outside this project. */
export interface Peer {
  name: 'dbos' | 'restate';
  packages: readonly string[];
  /** Besides `bench.mjs`: one with a call of a model, the address of which is in `MODEL_URL`. */
  modelProgram?: string;
  /** Starts what it needs. @returns how to stop it. @throws Missing */
  start: (folder: string) => Promise<() => Promise<void>>;
}

/** What a measurement cannot do without on this machine. */
export class Missing extends Error {}

const run = promisify(execFile);

/** Records (workflows) a second of one turn. */
export async function turnOf(folder: string, program: string, MODEL_URL = ''): Promise<number> {
  const env = { ...process.env, MODEL_URL };
  const { stdout } = await run(process.execPath, [program, '3000', '16'], { cwd: folder, env });
  return (JSON.parse(stdout) as { perSecond: number }).perSecond;
}

/**
 * A temporary folder with the peer's programs and packages, which stays for the next time.
 * @throws Missing if its programs are not beside the project, or if nobody agrees to install its packages.
 */
export async function folderOf({ name, packages, modelProgram }: Peer): Promise<string> {
  const programs = resolve(import.meta.dirname, '../../../shared/bench', name);
  if (!(await isThere(programs))) throw new Missing(`${programs} is not there`);
  const folder = join(tmpdir(), `agent-flow-bench-${name}`);
  await mkdir(folder, { recursive: true });
  await cp(programs, folder, { recursive: true });
  if (modelProgram) await cp(join(import.meta.dirname, modelProgram), join(folder, modelProgram));
  if (await isThere(join(folder, 'node_modules'))) return folder;
  if (!(await agreed(`Install ${packages.join(' ')} into ${folder}?`)))
    throw new Missing(`${packages.join(' ')} would have to be installed into ${folder}; pass --yes to agree`);
  await run('npm', ['install', '--no-audit', '--no-fund', ...packages], { cwd: folder });
  return folder;
}

async function agreed(question: string): Promise<boolean> {
  if (process.argv.includes('--yes')) return true;
  if (!process.stdin.isTTY) return false;
  using lines = createInterface({ input: process.stdin, output: process.stderr });
  return /^y/i.test(await lines.question(`${question} (y/N) `));
}

export const isThere = (path: string) =>
  stat(path).then(
    () => true,
    () => false,
  );

/** Starts a program, and waits until something succeeds and is not false. @returns how to stop it. @throws Missing */
export async function startProgram(
  [command, ...args]: readonly [string, ...string[]],
  cwd: string,
  isReady: () => Promise<unknown>,
): Promise<() => Promise<void>> {
  const child = spawn(command, args, { cwd, stdio: 'ignore' });
  const failed = once(child, 'error').then(([error]) => {
    throw new Missing(`${command} cannot be started: ${(error as Error).message}`);
  });
  failed.catch(() => {});
  await Promise.race([failed, untilReady(child, command, isReady)]);
  return async () => {
    if (child.exitCode !== null) return;
    const exit = once(child, 'exit');
    child.kill('SIGINT');
    await exit;
  };
}

async function untilReady(child: ChildProcess, command: string, isReady: () => Promise<unknown>) {
  for (let attempt = 0; attempt < 150; attempt++) {
    if (child.exitCode !== null) throw new Missing(`${command} ended with ${child.exitCode}`);
    const ready = await isReady().catch(() => false);
    if (ready !== false) return;
    await sleep(200);
  }
  throw new Missing(`${command} is not ready after 30 seconds`);
}
