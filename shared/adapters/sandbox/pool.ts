import type { MessagePort } from 'node:worker_threads';
import { toChunks } from '../../core/chunks.ts';
import { serviceBusy } from '../../core/errors/errors.ts';
import { converse } from './conversation.ts';
import { openDeadline, toSandboxError } from './deadline.ts';
import { makeFairQueue } from './fair-queue.ts';
import { type Job, joinJobSignals, openJob } from './job.ts';
import { type QueueTimeout, SandboxError, type SandboxLimits, type SandboxTask } from './sandbox.ts';
import { places, placesPerTenant, threads } from './threads.ts';

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
