import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { StackFacts } from '../../../infra/local/stack.ts';

/** Embedded stacks in processes of their own, for tests that kill them. */

const root = new URL('../../..', import.meta.url);
const started: ChildProcess[] = [];

export function killAll(): void {
  for (const child of started.splice(0)) child.kill('SIGKILL');
}

/** The processes that a process started, and they in turn; those whose command holds a word. Linux tells. */
export function childProcessIds({ pid: root }: Pick<ChildProcess, 'pid'>, word = ''): number[] {
  const all = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const parents = new Map(
    all.map((pid) => [Number(pid), Number(readProc(pid, 'stat').split(') ').at(-1)?.split(' ')[1])]),
  );
  const isBelow = (pid: number): boolean => {
    const parent = parents.get(pid);
    return parent !== undefined && (parent === root || isBelow(parent));
  };
  return [...parents.keys()].filter((pid) => isBelow(pid) && readProc(pid, 'cmdline').includes(word));
}

const readProc = (pid: number | string, file: 'stat' | 'cmdline') => {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
};

/** Kills a process and all that it started, at one moment. */
export function killTree(child: ChildProcess): void {
  for (const pid of [...childProcessIds(child), child.pid ?? 0]) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // Gone with its parent.
    }
  }
}

export const newDirectory = () => mkdtempSync(join(tmpdir(), 'stack-'));

export function launch(
  command: string,
  parameters: string[],
  environment: Record<string, string>,
  log: 'pipe' | number = 'pipe',
): ChildProcess {
  // npm gives the first to what it runs, and these are not run by it. The second is the address of the stack of all tests.
  const { npm_lifecycle_event: _event, PUBLIC_URL: _url, ...inherited } = process.env;
  const child = spawn(command, parameters, {
    cwd: root,
    env: { ...inherited, PORT: '0', LOCAL_MODEL: 'off', ...environment },
    stdio: ['ignore', 'pipe', log],
  });
  started.push(child);
  return child;
}

export const launchMain = (environment: Record<string, string>, flags: string[], log?: 'pipe' | number) =>
  launch(process.execPath, ['infra/local/main.ts', '--json', ...flags], environment, log);

/** @param log Where its log goes, as a file's descriptor. */
export async function start(environment: Record<string, string>, flags: string[] = [], log?: number) {
  const child = launchMain(environment, flags, log);
  return { child, facts: await readStackFacts(child) };
}

export async function readStackFacts({ stdout, stderr }: ChildProcess): Promise<StackFacts> {
  if (!stdout) throw new Error('No pipe');
  const complaint = stderr ? text(stderr) : '';
  const [line] = await Promise.race([
    once(stdout, 'data'),
    once(stdout, 'end').then(async () => Promise.reject(new Error(await complaint))),
  ]);
  return JSON.parse(String(line));
}
