import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { openDeadline, toSandboxError } from './deadline.ts';
import { makeFairQueue } from './fair-queue.ts';
import type { Job } from './job.ts';
import type { TaskResult, ThreadRequest } from './pool.ts';
import { SandboxError, type SandboxLimits } from './sandbox.ts';
import { conversations, conversationsPerTenant, threads } from './threads.ts';

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
export async function converse(
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
