import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { install, isThere, Missing } from '../measure/install.ts';

/** So many workflows of the peer are in flight, and so many of our records. */
export const width = 16;

/** Another product to measure beside ours. Its programs are kept outside this project. */
export interface Peer {
  name: 'dbos' | 'restate';
  packages: readonly string[];
  /** Besides `bench.mjs`: one with a call of a model, the address of which is in `MODEL_URL`. */
  modelProgram?: string;
  /** Starts what it needs. @returns how to stop it. @throws Missing */
  start: (folder: string) => Promise<() => Promise<void>>;
}

const run = promisify(execFile);

/** Records (workflows) a second of one turn. */
export async function measureRate(folder: string, program: string, MODEL_URL = ''): Promise<number> {
  const env = { ...process.env, MODEL_URL };
  const { stdout } = await run(process.execPath, [program, '3000', String(width)], { cwd: folder, env });
  return (JSON.parse(stdout) as { perSecond: number }).perSecond;
}

/**
 * A temporary folder with the peer's programs and packages, which stays for the next time.
 * @throws Missing if its programs are not beside the project, or if nobody agrees to install its packages.
 */
export async function preparePeerFolder({ name, packages, modelProgram }: Peer): Promise<string> {
  const programs = resolve(import.meta.dirname, '../../../shared/bench', name);
  if (!(await isThere(programs))) throw new Missing(`${programs} is not there`);
  const folder = await install({ name, packages });
  await cp(programs, folder, { recursive: true });
  if (modelProgram) await cp(join(import.meta.dirname, modelProgram), join(folder, modelProgram));
  return folder;
}

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
