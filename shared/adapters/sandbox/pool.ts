import { availableParallelism } from 'node:os';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Piscina } from 'piscina';
import { busy } from '../../core/errors.ts';
import { loadOnce } from '../../core/load-once.ts';
import { log } from '../../core/log.ts';
import { type Limits, type Patience, SandboxError, type SandboxTask } from './sandbox.ts';
import { makeTurns } from './turns.ts';

/** A task as a thread gets it. */
export interface Sent {
  name: string;
  input: unknown;
  /** Set when its library is loaded, since its time counts from then. */
  begun: Int32Array;
}

/** What a thread may hold beside WebAssembly memory, which has a maximum of its own. */
const heapMegabytesMax = 256;
/**
 * Most tasks end themselves at their limit. Only what cannot be interrupted from inside needs its thread to be ended; that
 * goes by the clock, and leaves time for a thread to start and for a busy machine.
 */
const endAfterMs = (timeoutMs: number) => 2 * timeoutMs + 1_000;
const idleMs = 30_000;
/** How many times its limit a task may wait for its thread to start. */
const beatsToStartMax = 5;

/** More threads than cores, so that another tenant's short task shares the cores with long ones instead of waiting. */
const placesPerTenant = Math.max(2, availableParallelism());
const places = 2 * placesPerTenant + 2;
const turns = makeTurns({ places, placesPerTenant });
const turnsAlone = makeTurns({ places: 1, placesPerTenant: 1 });

export const threads = loadOnce(newPool);

function newPool(): Piscina {
  const made = new Piscina({
    // Here TypeScript, and in a bundle JavaScript.
    filename: fileURLToPath(new URL(`../sandbox-thread/thread${extname(import.meta.url)}`, import.meta.url)),
    minThreads: 0,
    maxThreads: places + 1,
    idleTimeout: idleMs,
    resourceLimits: { maxOldGenerationSizeMb: heapMegabytesMax },
    execArgv: ['--no-warnings'],
    env: {},
  });
  // A thread may run out of memory while it is being ended, when it has no task that could be told.
  made.on('error', (error) => log.warn('A sandbox thread broke while it was being ended', { error }));
  return made;
}

/**
 * Does a task in a thread. Its time is counted from its turn, not from the call.
 * @throws SandboxError when it takes too long, too much memory, or breaks its thread; ServiceError 503 when its turn does not
 * come within the patience of its request.
 */
export async function inThread<Input, Output>(
  tenant: string,
  { name, alone }: SandboxTask<Input, Output>,
  input: Input,
  { timeoutMs, signal, patience }: Limits,
): Promise<Output> {
  const giveBack = await turnOf(tenant, alone ? turnsAlone : turns, signal, patience);
  const ending = new AbortController();
  const end = () => ending.abort();
  const begun = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  let beats = 0;
  // On a busy machine a thread may take long to start: that is not the task's fault.
  const timer = setInterval(() => {
    if (Atomics.load(begun, 0) === 1 || ++beats > beatsToStartMax) end();
  }, endAfterMs(timeoutMs));
  signal?.addEventListener('abort', end, { once: true });
  try {
    return await threads().run({ name, input, begun } satisfies Sent, {
      name: 'work',
      signal: ending.signal,
    });
  } catch (error) {
    signal?.throwIfAborted();
    throw ending.signal.aborted ? new SandboxError('time', { cause: error }) : brokenBy(error as Error);
  } finally {
    clearInterval(timer);
    signal?.removeEventListener('abort', end);
    giveBack();
  }
}

async function turnOf(tenant: string, queue: typeof turns, signal?: AbortSignal, patience?: Patience) {
  if (!patience) return queue.take(tenant, signal);
  const leaving = new AbortController();
  const timer = setTimeout(() => leaving.abort(busy()), patience.leftMs);
  const since = performance.now();
  try {
    return await queue.take(tenant, AbortSignal.any([leaving.signal, ...(signal ? [signal] : [])]));
  } finally {
    clearTimeout(timer);
    patience.leftMs -= performance.now() - since;
  }
}

function brokenBy(error: NodeJS.ErrnoException): Error {
  if (error.code === 'ERR_WORKER_OUT_OF_MEMORY') return new SandboxError('memory', { cause: error });
  if (error.message.startsWith('worker exited')) return new SandboxError('broken', { cause: error });
  return error;
}
