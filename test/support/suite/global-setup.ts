import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { ProvidedContext } from 'vitest';
import type { TestProject } from 'vitest/node';
import type { World } from './world.ts';

declare module 'vitest' {
  interface ProvidedContext extends Readonly<WorldFacts> {}
}
type WorldFacts = World['provided'];

/**
 * One world for the whole run, in a process that Node starts: loaded by Vite, it would take ten times as long. The
 * workers inherit its environment. The projects share it: each calls this in the same process, and the last one stops it.
 */
export default async function setup(project: TestProject) {
  shared.users++;
  shared.world ??= startWorld();
  const { provided, stop } = await shared.world;
  for (const [name, value] of Object.entries(provided)) project.provide(name as keyof ProvidedContext, value);
  return async () => {
    if (--shared.users === 0) await stop();
  };
}

interface Shared {
  users: number;
  world?: ReturnType<typeof startWorld>;
}

/** Each project loads this file anew, in one process. */
const holder = globalThis as { testWorld?: Shared };
holder.testWorld ??= { users: 0 };
const shared = holder.testWorld;

async function startWorld() {
  const child = fork(fileURLToPath(new URL('world.ts', import.meta.url)), { execArgv: [] });
  const ended = once(child, 'exit');
  const [message] = await Promise.race([once(child, 'message'), ended]);
  if (child.exitCode !== null)
    throw new Error(`The embedded stack did not start: it ended with ${child.exitCode}`);
  const { provided, environment } = message as World;
  for (const name of Object.keys(process.env)) if (!(name in environment)) delete process.env[name];
  Object.assign(process.env, environment);
  const fail = (code: number | null) => {
    throw new Error(`The embedded stack ended with ${code} while tests ran`);
  };
  child.once('exit', fail);
  const stop = async () => {
    child.off('exit', fail).disconnect();
    const [code] = await ended;
    // It has written which rights its Lambdas lack.
    if (code !== 0) process.exitCode = 1;
  };
  return { provided, stop };
}
