import { SandboxError } from './sandbox.ts';

/**
 * Most tasks stop at their limit by themselves. Tasks that cannot be interrupted from inside end with their thread, by
 * wall-clock time. The factor allows for the start of a thread and for a busy machine.
 */
const endAfterMs = (timeoutMs: number) => 2 * timeoutMs + 1_000;
/** How many times its limit a task may wait for its thread to start. */
const beatsToStartMax = 5;

/** Aborts a task that takes too long. Starts with the task, since a thread may start slowly on a busy machine. */
export function openDeadline(current: Int32Array, timeoutMs: number) {
  const ending = new AbortController();
  let beats = 0;
  let timer: NodeJS.Timeout | undefined;
  const beat = () => {
    if (Atomics.load(current, 0) > 0 || ++beats > beatsToStartMax) ending.abort();
  };
  return {
    signal: ending.signal,
    begin() {
      timer = setInterval(beat, endAfterMs(timeoutMs));
    },
    end: () => clearInterval(timer),
  };
}

/** The error of a task whose thread ended. */
export function brokenBy(error: NodeJS.ErrnoException): Error {
  if (error.code === 'ERR_WORKER_OUT_OF_MEMORY') return new SandboxError('memory', { cause: error });
  if (error.message.startsWith('worker exited')) return new SandboxError('broken', { cause: error });
  return error;
}
