/**
 * Runs tasks of the sandbox in worker threads, with a fair share for each tenant, and ends those that take too long.
 * Jobs of one tenant and task that arrive in the same turn of the event loop are sent to a thread together; each gets
 * its own result, and what a broken thread had not started is sent again, one by one. Time counts from the start of the
 * task, which the thread reports in shared memory; a thread that does not stop by itself is terminated.
 * Tasks that ask their caller (`onAsk`) have slots of their own, since they may wait for minutes, and their time stops
 * while they wait.
 * `sandbox.ts` is the caller; `sandbox-thread/thread.ts` runs in the threads.
 */
import { availableParallelism } from 'node:os';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { Piscina } from 'piscina';
import { toChunks } from '../../core/chunks.ts';
import { loadOnce } from '../../core/concurrency/load-once.ts';
import { serviceBusy } from '../../core/errors/errors.ts';
import { runOutsideInvocation } from '../../core/invocation.ts';
import { log } from '../../core/log.ts';
import { makeFairQueue } from './fair-queue.ts';
import { type QueueTimeout, SandboxError, type SandboxLimits, type SandboxTask } from './sandbox.ts';

/** The limit for the heap, unless the machine has little memory. WebAssembly memory has its own. */
const heapMegabytesMax = 256;
/** Spare pages would be most of a thread's memory. */
const youngMegabytesMax = 8;
const idleMs = 30_000;

/** More threads than cores, so that another tenant's short task shares the cores with long ones instead of waiting. */
export const placesPerTenant = Math.max(2, availableParallelism());
const places = 2 * placesPerTenant + 2;
/** Threads of tasks that ask their callers. They mostly wait. */
const conversationsPerTenant = 2;
const conversations = 4;
export const threads = loadOnce(newPool);

function newPool(): Piscina {
  const made = new Piscina({
    // TypeScript from source, JavaScript in a bundle.
    filename: fileURLToPath(new URL(`../sandbox-thread/thread${extname(import.meta.url)}`, import.meta.url)),
    minThreads: 0,
    maxThreads: places + 1 + conversations,
    idleTimeout: idleMs,
    resourceLimits: {
      maxOldGenerationSizeMb: Number(process.env.SANDBOX_HEAP_MB) || heapMegabytesMax,
      maxYoungGenerationSizeMb: youngMegabytesMax,
    },
    execArgv: ['--no-warnings'],
    env: {},
  });
  // A terminating thread may run out of memory when it has no task that could report it.
  made.on('error', (error) =>
    runOutsideInvocation(() => log.warn('A sandbox thread failed while terminating', { error })),
  );
  return made;
}

/** Tasks of one kind, as sent to a thread. */
export interface ThreadRequest {
  name: string;
  inputs: readonly unknown[];
  /** The task in progress, from 1. 0 until the library is loaded, since the time limit starts then. */
  current: Int32Array;
  questions?: MessagePort | undefined;
}
export type TaskResult = { value: unknown } | { error: unknown };

const jobsPerRequest = 10;

const slots = makeFairQueue({ places, placesPerTenant });
const exclusiveSlot = makeFairQueue({ places: 1, placesPerTenant: 1 });

/** Its time limit starts with its slot. @throws SandboxError at a limit; ServiceError 503 if it gets no slot. */
export const runInThread = <Input, Output>(
  tenant: string,
  task: SandboxTask<Input, Output>,
  input: Input,
  { signal, onAsk, ...limits }: SandboxLimits,
): Promise<Output> =>
  new Promise((resolve, reject) => {
    const job = openJob(input, signal, { resolve: resolve as Job['resolve'], reject });
    if (onAsk) return void converse(tenant, task.name, job, { timeoutMs: limits.timeoutMs, onAsk });
    const group = { tenant, task, ...limits };
    if (task.gathers && !limits.queueTimeout) gather(group, job);
    else void sendToThread(group, [job]);
  });

/** What all jobs of one request to a thread share. */
interface Group extends Omit<SandboxLimits, 'signal' | 'onAsk'> {
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
    for (const some of toChunks(jobs, jobsPerRequest)) void sendToThread(group, some);
  });
}

/** Settles every job. Sends the jobs that the thread did not start again, one by one. */
async function sendToThread(group: Group, jobs: readonly Job[]): Promise<void> {
  const { tenant, task, timeoutMs, queueTimeout } = group;
  const again = (job: Job) => void sendToThread(group, [job]);
  const stopped = joinJobSignals(jobs);
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
      : toSandboxError(error as Error);
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

async function acquireSlot(
  tenant: string,
  queue: typeof slots,
  signal: AbortSignal,
  queueTimeout?: QueueTimeout,
) {
  if (!queueTimeout) return queue.take(tenant, signal);
  const leaving = new AbortController();
  const timer = setTimeout(() => leaving.abort(serviceBusy()), beginWait(queueTimeout));
  try {
    return await queue.take(tenant, AbortSignal.any([leaving.signal, signal]));
  } finally {
    clearTimeout(timer);
    endWait(queueTimeout);
  }
}

/** @returns how long it may last, in milliseconds. */
function beginWait(timeout: QueueTimeout): number {
  const now = performance.now();
  if (timeout.waiting++ === 0) timeout.since = now;
  return Math.max(0, timeout.leftMs - (now - timeout.since));
}

function endWait(timeout: QueueTimeout): void {
  if (--timeout.waiting === 0) timeout.leftMs -= performance.now() - timeout.since;
}

export interface SandboxRequest {
  id: number;
  request: unknown;
}

export interface SandboxReply {
  id: number;
  value: unknown;
}

/** Slots of their own: they may wait for minutes, also for a task that needs a slot of the tenant. */
const conversationSlots = makeFairQueue({ places: conversations, placesPerTenant: conversationsPerTenant });

/** Runs a task that asks its caller. Settles the job. */
async function converse(
  tenant: string,
  name: string,
  job: Job,
  {
    timeoutMs,
    onAsk,
  }: Required<Pick<SandboxLimits, 'timeoutMs' | 'onAsk'>> & { onAsk: NonNullable<SandboxLimits['onAsk']> },
): Promise<void> {
  const current = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const deadline = openDeadline(current, timeoutMs);
  const ended = new AbortController();
  let failure: { error: unknown } | undefined;
  let release: (() => void) | undefined;
  const { port1: ours, port2: theirs } = new MessageChannel();
  answerQuestions(ours, {
    onAsk: (request) => onAsk(request, ended.signal),
    onWaiting(isWaiting) {
      deadline.end();
      if (!isWaiting && !ended.signal.aborted) deadline.begin();
    },
    onFailure(error) {
      failure ??= { error };
      ended.abort();
    },
  });
  try {
    release = await conversationSlots.take(tenant, job.signal);
    deadline.begin();
    const sent: ThreadRequest = { name, inputs: [job.input], current, questions: theirs };
    const signals = [deadline.signal, ended.signal, ...(job.signal ? [job.signal] : [])];
    const options = { name: 'work', signal: AbortSignal.any(signals), transferList: [theirs] };
    const [done]: TaskResult[] = await threads().run(sent, options);
    if (!done || 'error' in done) job.reject(done?.error);
    else job.resolve(done.value);
  } catch (error) {
    if (failure) job.reject(failure.error);
    else if (deadline.signal.aborted) job.reject(new SandboxError('time', { cause: error }));
    else job.reject(toSandboxError(error as Error));
  } finally {
    ended.abort();
    deadline.end();
    ours.close();
    theirs.close();
    release?.();
  }
}

interface Answering {
  onAsk: (request: unknown) => Promise<unknown>;
  /** Called when the task begins to wait for answers, and when it has all of them. */
  onWaiting: (isWaiting: boolean) => void;
  onFailure: (error: unknown) => void;
}

function answerQuestions(port: MessagePort, { onAsk, onWaiting, onFailure }: Answering): void {
  let open = 0;
  port.on('message', async ({ id, request }: SandboxRequest) => {
    if (open++ === 0) onWaiting(true);
    try {
      const answer: SandboxReply = { id, value: await onAsk(request) };
      if (--open === 0) onWaiting(false);
      port.postMessage(answer);
    } catch (error) {
      onFailure(error);
    }
  });
}

interface Job {
  input: unknown;
  signal: AbortSignal | undefined;
  resolve: (value: unknown) => void;
  reject: (reason: unknown) => void;
}

/** A job that rejects as soon as its signal is aborted, whatever its task does. */
function openJob(
  input: unknown,
  signal: AbortSignal | undefined,
  { resolve, reject }: Pick<Job, 'resolve' | 'reject'>,
): Job {
  if (!signal) return { input, signal, resolve, reject };
  const abort = () => reject(signal.reason);
  const release = () => signal.removeEventListener('abort', abort);
  signal.addEventListener('abort', abort, { once: true });
  if (signal.aborted) abort();
  return {
    input,
    signal,
    resolve(value) {
      release();
      resolve(value);
    },
    reject(reason) {
      release();
      reject(reason);
    },
  };
}

/** Aborted when the signals of all jobs are: the thread continues while any job is wanted. */
function joinJobSignals(jobs: readonly Job[]): AbortSignal {
  const [first] = jobs;
  const signals = new Set(jobs.map(({ signal }) => signal));
  if (first?.signal && signals.size === 1) return first.signal;
  const stopped = new AbortController();
  if (signals.has(undefined)) return stopped.signal;
  let left = signals.size;
  for (const signal of signals) {
    const count = () => {
      if (--left === 0) stopped.abort(signal?.reason);
    };
    if (signal?.aborted) count();
    else signal?.addEventListener('abort', count, { once: true });
  }
  return stopped.signal;
}

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

function toSandboxError(error: NodeJS.ErrnoException): Error {
  if (error.code === 'ERR_WORKER_OUT_OF_MEMORY') return new SandboxError('memory', { cause: error });
  if (error.message.startsWith('worker exited')) return new SandboxError('broken', { cause: error });
  return error;
}
