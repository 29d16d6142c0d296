import { Script } from 'node:vm';

export class OutOfTime extends Error {}

/** Runs a function in this context. Only a script can be interrupted, also inside a regular expression. */
const name = Symbol.for('agent-flow-service.timed-work');
const script = new Script(`globalThis[Symbol.for(${JSON.stringify(name.description)})]()`);
const globals = globalThis as unknown as Record<symbol, () => unknown>;

/** On a busy machine, little CPU time passes within the time of the clock. So it is tried again with more. */
const attemptsMax = 4;

/** Interrupts work after this CPU time. Call it in a thread of the sandbox only. @throws OutOfTime */
export function withinTime<T>(cpuMsMax: number, work: () => T): T {
  globals[name] = work;
  for (let attempt = 0; attempt < attemptsMax; attempt++) {
    const began = cpuMs();
    try {
      return script.runInThisContext({ timeout: cpuMsMax * 2 ** attempt }) as T;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
      if (cpuMs() - began > cpuMsMax / 2) break;
    }
  }
  throw new OutOfTime();
}

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
