import { availableParallelism } from 'node:os';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Piscina } from 'piscina';
import { chunksOf } from '../../core/chunks.ts';
import { serviceBusy } from '../../core/errors.ts';
import { loadOnce } from '../../core/load-once.ts';
import { log } from '../../core/log.ts';
import { type Job, openJob, stoppedTogether } from './job.ts';
import { type Limits, type Patience, SandboxError, type SandboxTask } from './sandbox.ts';
import { makeTurns } from './turns.ts';

/** Tasks of one kind as a thread gets them. */
export interface Sent {
  name: string;
  inputs: readonly unknown[];
  /** At which of them the thread is, from 1; 0 until their library is loaded, since their time counts from then. */
  current: Int32Array;
}
export type Done = { value: unknown } | { error: unknown };

/** What a thread may hold beside WebAssembly memory, which has a maximum of its own. */
const heapMegabytesMax = 256;
/**
 * Most tasks end themselves at their limit. Only what cannot be interrupted from inside needs its thread to be ended; that
 * goes by the clock, and leaves time for a thread to start and for a busy machine.
 */
const endAfterMs = (timeoutMs: number) => 2 * timeoutMs + 1_000;
const idleMs = 30_000;
const jobsPerHandOver = 10;
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
export const inThread = <Input, Output>(
  tenant: string,
  task: SandboxTask<Input, Output>,
  input: Input,
  { signal, ...limits }: Limits,
): Promise<Output> =>
  new Promise((resolve, reject) => {
    const job = openJob(input, signal, { resolve: resolve as Job['resolve'], reject });
    const group = { tenant, task, ...limits };
    if (task.gathers && !limits.patience) gather(group, job);
    else void handOver(group, [job]);
  });

/** The jobs of one hand-over share all of this. */
interface Group extends Omit<Limits, 'signal'> {
  tenant: string;
  task: Pick<SandboxTask<unknown, unknown>, 'name' | 'alone'>;
}

const gathered = new Map<string, Job[]>();

/** Holds a job until the end of this turn of the event loop, for others of its group to join it. */
function gather(group: Group, job: Job): void {
  const name = JSON.stringify([group.tenant, group.task.name, group.timeoutMs]);
  const waiting = gathered.get(name);
  if (waiting) return void waiting.push(job);
  const jobs = [job];
  gathered.set(name, jobs);
  setImmediate(() => {
    gathered.delete(name);
    for (const some of chunksOf(jobs, jobsPerHandOver)) void handOver(group, some);
  });
}

/** Sees to it that every job is settled. Those that the thread did not come to are handed over again, each alone. */
async function handOver(group: Group, jobs: readonly Job[]): Promise<void> {
  const { tenant, task, timeoutMs, patience } = group;
  const again = (job: Job) => void handOver(group, [job]);
  const stopped = stoppedTogether(jobs);
  const current = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const deadline = openDeadline(current, timeoutMs);
  let giveBack: (() => void) | undefined;
  try {
    giveBack = await turnOf(tenant, task.alone ? turnsAlone : turns, stopped, patience);
    deadline.begin();
    const sent: Sent = { name: task.name, inputs: jobs.map(({ input }) => input), current };
    const signal = AbortSignal.any([stopped, deadline.signal]);
    const done: Done[] = await threads().run(sent, { name: 'work', signal });
    for (const [index, job] of jobs.entries()) settle(job, done[index], again);
  } catch (error) {
    const reason = deadline.signal.aborted
      ? new SandboxError('time', { cause: error })
      : brokenBy(error as Error);
    const broken = giveBack ? Math.max(0, Atomics.load(current, 0) - 1) : undefined;
    for (const [index, job] of jobs.entries()) {
      if (broken === undefined || index === broken) job.reject(reason);
      else again(job);
    }
  } finally {
    deadline.end();
    giveBack?.();
  }
}

function settle(job: Job, done: Done | undefined, again: (job: Job) => void): void {
  if (!done) again(job);
  else if ('error' in done) job.reject(done.error);
  else job.resolve(done.value);
}

/** Aborted when a task takes too long, once it has begun: on a busy machine a thread may take long to start. */
function openDeadline(current: Int32Array, timeoutMs: number) {
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

async function turnOf(tenant: string, queue: typeof turns, signal: AbortSignal, patience?: Patience) {
  if (!patience) return queue.take(tenant, signal);
  const leaving = new AbortController();
  const timer = setTimeout(() => leaving.abort(serviceBusy()), patience.leftMs);
  const since = performance.now();
  try {
    return await queue.take(tenant, AbortSignal.any([leaving.signal, signal]));
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
