import { availableParallelism } from 'node:os';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Piscina } from 'piscina';
import { chunksOf } from '../../core/chunks.ts';
import { serviceBusy } from '../../core/errors.ts';
import { loadOnce } from '../../core/load-once.ts';
import { log } from '../../core/log.ts';
import { makeFairQueue } from './fair-queue.ts';
import { abortedTogether, type Job, openJob } from './job.ts';
import { type Limits, type QueueTimeout, SandboxError, type SandboxTask } from './sandbox.ts';

/** Tasks of one kind, as sent to a thread. */
export interface ThreadRequest {
  name: string;
  inputs: readonly unknown[];
  /** The task in progress, from 1. 0 until the library is loaded, since the time limit starts then. */
  current: Int32Array;
}
export type TaskResult = { value: unknown } | { error: unknown };

/** The limit for the heap. WebAssembly memory has its own. */
const heapMegabytesMax = 256;
/**
 * Most tasks stop at their limit by themselves. Tasks that cannot be interrupted from inside end with their thread, by
 * wall-clock time. The factor allows for the start of a thread and for a busy machine.
 */
const endAfterMs = (timeoutMs: number) => 2 * timeoutMs + 1_000;
const idleMs = 30_000;
const jobsPerRequest = 10;
/** How many times its limit a task may wait for its thread to start. */
const beatsToStartMax = 5;

/** More threads than cores, so that another tenant's short task shares the cores with long ones instead of waiting. */
const placesPerTenant = Math.max(2, availableParallelism());
const places = 2 * placesPerTenant + 2;
const slots = makeFairQueue({ places, placesPerTenant });
const exclusiveSlot = makeFairQueue({ places: 1, placesPerTenant: 1 });

export const threads = loadOnce(newPool);

function newPool(): Piscina {
  const made = new Piscina({
    // TypeScript from source, JavaScript in a bundle.
    filename: fileURLToPath(new URL(`../sandbox-thread/thread${extname(import.meta.url)}`, import.meta.url)),
    minThreads: 0,
    maxThreads: places + 1,
    idleTimeout: idleMs,
    resourceLimits: { maxOldGenerationSizeMb: heapMegabytesMax },
    execArgv: ['--no-warnings'],
    env: {},
  });
  // A terminating thread may run out of memory when it has no task that could report it.
  made.on('error', (error) => log.warn('A sandbox thread failed while terminating', { error }));
  return made;
}

/**
 * Runs a task in a thread. Its time limit starts with its slot. @throws SandboxError if it takes too long or too much
 * memory, or breaks its thread; ServiceError 503 if it gets no slot within the request's queue timeout.
 */
export const runInThread = <Input, Output>(
  tenant: string,
  task: SandboxTask<Input, Output>,
  input: Input,
  { signal, ...limits }: Limits,
): Promise<Output> =>
  new Promise((resolve, reject) => {
    const job = openJob(input, signal, { resolve: resolve as Job['resolve'], reject });
    const group = { tenant, task, ...limits };
    if (task.gathers && !limits.queueTimeout) gather(group, job);
    else void sendToThread(group, [job]);
  });

/** What all jobs of one request to a thread share. */
interface Group extends Omit<Limits, 'signal'> {
  tenant: string;
  task: Pick<SandboxTask<unknown, unknown>, 'name' | 'alone'>;
}

const gathered = new Map<string, Job[]>();

/** Holds a job until the end of this event loop turn, so that others of its group can join it. */
function gather(group: Group, job: Job): void {
  const name = JSON.stringify([group.tenant, group.task.name, group.timeoutMs]);
  const waiting = gathered.get(name);
  if (waiting) return void waiting.push(job);
  const jobs = [job];
  gathered.set(name, jobs);
  setImmediate(() => {
    gathered.delete(name);
    for (const some of chunksOf(jobs, jobsPerRequest)) void sendToThread(group, some);
  });
}

/** Settles every job. Sends the jobs that the thread did not start again, one by one. */
async function sendToThread(group: Group, jobs: readonly Job[]): Promise<void> {
  const { tenant, task, timeoutMs, queueTimeout } = group;
  const again = (job: Job) => void sendToThread(group, [job]);
  const stopped = abortedTogether(jobs);
  const current = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const deadline = openDeadline(current, timeoutMs);
  let release: (() => void) | undefined;
  try {
    release = await acquireSlot(tenant, task.alone ? exclusiveSlot : slots, stopped, queueTimeout);
    deadline.begin();
    const sent: ThreadRequest = { name: task.name, inputs: jobs.map(({ input }) => input), current };
    const signal = AbortSignal.any([stopped, deadline.signal]);
    const done: TaskResult[] = await threads().run(sent, { name: 'work', signal });
    for (const [index, job] of jobs.entries()) settle(job, done[index], again);
  } catch (error) {
    const reason = deadline.signal.aborted
      ? new SandboxError('time', { cause: error })
      : brokenBy(error as Error);
    const broken = release ? Math.max(0, Atomics.load(current, 0) - 1) : undefined;
    for (const [index, job] of jobs.entries()) {
      if (broken === undefined || index === broken) job.reject(reason);
      else again(job);
    }
  } finally {
    deadline.end();
    release?.();
  }
}

function settle(job: Job, done: TaskResult | undefined, again: (job: Job) => void): void {
  if (!done) again(job);
  else if ('error' in done) job.reject(done.error);
  else job.resolve(done.value);
}

/** Aborts a task that takes too long. Starts with the task, since a thread may start slowly on a busy machine. */
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

async function acquireSlot(
  tenant: string,
  queue: typeof slots,
  signal: AbortSignal,
  queueTimeout?: QueueTimeout,
) {
  if (!queueTimeout) return queue.take(tenant, signal);
  const leaving = new AbortController();
  const timer = setTimeout(() => leaving.abort(serviceBusy()), queueTimeout.leftMs);
  const since = performance.now();
  try {
    return await queue.take(tenant, AbortSignal.any([leaving.signal, signal]));
  } finally {
    clearTimeout(timer);
    queueTimeout.leftMs -= performance.now() - since;
  }
}

function brokenBy(error: NodeJS.ErrnoException): Error {
  if (error.code === 'ERR_WORKER_OUT_OF_MEMORY') return new SandboxError('memory', { cause: error });
  if (error.message.startsWith('worker exited')) return new SandboxError('broken', { cause: error });
  return error;
}
