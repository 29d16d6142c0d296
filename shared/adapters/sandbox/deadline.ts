import { SandboxError } from './sandbox.ts';

/** For tasks that do not stop at their limit by themselves. The factor allows for a busy machine. */
const endAfterMs = (timeoutMs: number) => 2 * timeoutMs + 3_000;
/** How many times as long a task may wait for its thread to start. */
const startFactor = 5;
const beatMs = 250;

/** Aborts a task that takes too long. Its time starts with the task, since a thread may start slowly on a busy machine. */
export function openDeadline(current: Int32Array, timeoutMs: number) {
  const ending = new AbortController();
  const beatsMax = Math.ceil(endAfterMs(timeoutMs) / beatMs);
  let task = 0;
  let beats = 0;
  let timer: NodeJS.Timeout | undefined;
  const beat = () => {
    const now = Atomics.load(current, 0);
    beats = now === task ? beats + 1 : 0;
    task = now;
    if (beats >= (task > 0 ? beatsMax : startFactor * beatsMax)) ending.abort();
  };
  return {
    signal: ending.signal,
    begin() {
      timer = setInterval(beat, beatMs);
    },
    end: () => clearInterval(timer),
  };
}

export function toSandboxError(error: NodeJS.ErrnoException): Error {
  if (error.code === 'ERR_WORKER_OUT_OF_MEMORY') return new SandboxError('memory', { cause: error });
  if (error.message.startsWith('worker exited')) return new SandboxError('broken', { cause: error });
  return error;
}
