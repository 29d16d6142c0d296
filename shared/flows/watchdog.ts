import { type Context, createContext, Script } from 'node:vm';

const callWork = new Script('work()');
let host: Context | undefined;

/** What an interrupted work throws. */
export const isInterruption = (error: unknown) =>
  (error as NodeJS.ErrnoException).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';

/**
 * Ends some synchronous work after a time, wherever it is: V8 stops its own code, its regular expressions and
 * WebAssembly alike. That costs a thread, about as long as a short script takes.
 */
export function interruptibly<T>(work: () => T, timeoutMs: number): T {
  host ??= createContext();
  host.work = work;
  return callWork.runInContext(host, { timeout: timeoutMs }) as T;
}
