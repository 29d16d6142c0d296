import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { StackFacts } from '../../infra/local/stack.ts';

/** Embedded stacks in processes of their own, for tests that kill them. */

const root = new URL('../..', import.meta.url);
const started: ChildProcess[] = [];

export function killAll(): void {
  for (const child of started.splice(0)) child.kill('SIGKILL');
}

export const newDirectory = () => mkdtempSync(join(tmpdir(), 'stack-'));

export function launch(
  command: string,
  parameters: string[],
  environment: Record<string, string>,
): ChildProcess {
  // npm gives this to what it runs, and these are not run by it.
  const { npm_lifecycle_event: _event, ...inherited } = process.env;
  const child = spawn(command, parameters, {
    cwd: root,
    env: { ...inherited, PORT: '0', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  started.push(child);
  return child;
}

export const launchMain = (environment: Record<string, string>, flags: string[]) =>
  launch(process.execPath, ['infra/local/main.ts', '--json', ...flags], environment);

export async function start(environment: Record<string, string>, flags: string[] = []) {
  const child = launchMain(environment, flags);
  return { child, facts: await factsOf(child) };
}

export async function factsOf({ stdout, stderr }: ChildProcess): Promise<StackFacts> {
  if (!stdout || !stderr) throw new Error('No pipes');
  const complaint = text(stderr);
  const [line] = await Promise.race([
    once(stdout, 'data'),
    once(stdout, 'end').then(async () => Promise.reject(new Error(await complaint))),
  ]);
  return JSON.parse(String(line));
}
