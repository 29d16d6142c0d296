/**
 * Processes that run the records of batches beside the process that serves requests, so that these use every processor and do not
 * wait for them. As Lambda's environments, they come with work and go without: the first messages run in this process, and
 * while some still run there, the processes are started; after a minute without work they end. They find the servers of the
 * stack through the environment, like a deployed Lambda.
 * If one dies, its messages are given back at once: on AWS, they would wait for the end of the lease of their runs.
 */
import type { ChildProcess } from 'node:child_process';
import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { log } from '../../../shared/core/log.ts';
import { forkModule, processEnd } from '../runtime/guarded-process.ts';
import { invoke } from '../runtime/invoke.ts';
import { heapMegabytes } from '../runtime/memory.ts';
import type { EventSource } from './poller.ts';
import type { Invocation, InvocationEnd } from './worker-process.ts';

const file = new URL('./worker-process.ts', import.meta.url);

const idleMs = 60_000;
/** After one that did not start. */
const pauseMs = 60_000;

type Work = NonNullable<EventSource['invoke']>;

interface Worker {
  child: ChildProcess;
  running: Map<number, (end: InvocationEnd | undefined) => void>;
  /** Whether it has begun to take work; false if it ended before. */
  started: Promise<boolean>;
}

/**
 * @param returnMessages Called with the messages that a process had when it died.
 * @returns how event sources invoke a worker in them; messages of one group go to one process.
 */
export function openWorkerProcesses(count: number, returnMessages: (event: SQSEvent) => Promise<void>) {
  const workers = new Set<Worker>();
  const ready = new Set<Worker>();
  let runningHere = 0;
  let invocations = 0;
  let startsAgainAt = 0;
  let isClosed = false;
  const idle = setTimeout(endIdle, idleMs).unref();

  function endIdle() {
    if (workers.values().some(({ running }) => running.size > 0)) idle.refresh();
    else endAll();
  }

  function endAll() {
    ready.clear();
    for (const { child } of workers) child.kill();
  }

  function startAll(): void {
    if (isClosed || performance.now() < startsAgainAt) return;
    while (workers.size < count) start();
  }

  function start(): void {
    const child = forkModule(file, heapMegabytes.workers(), 'inherit');
    const { promise: started, resolve } = Promise.withResolvers<boolean>();
    const worker: Worker = { child, running: new Map(), started };
    workers.add(worker);
    child.on('message', (message: InvocationEnd | 'ready') => {
      if (message !== 'ready') return worker.running.get(message.id)?.(message);
      ready.add(worker);
      resolve(true);
    });
    processEnd(child).then(() => {
      workers.delete(worker);
      ready.delete(worker);
      resolve(false);
      for (const end of worker.running.values()) end(undefined);
    });
    started.then((hasStarted) => {
      if (!hasStarted) startsAgainAt = performance.now() + pauseMs;
    });
  }

  async function invokeHere(...[name, event, timeoutSeconds]: Parameters<Work>) {
    if (runningHere > 0) startAll();
    runningHere++;
    try {
      return await invoke<SQSEvent, SQSBatchResponse | undefined>(name, event, timeoutSeconds);
    } finally {
      runningHere--;
    }
  }

  async function invokeIn({ child, running }: Worker, ...[name, event, timeoutSeconds]: Parameters<Work>) {
    const id = invocations++;
    const { promise, resolve } = Promise.withResolvers<InvocationEnd | undefined>();
    running.set(id, resolve);
    const invocation: Invocation = { id, name, event, timeoutSeconds };
    child.send(invocation, (error) => error && resolve(undefined));
    const end = await promise;
    running.delete(id);
    if (!end && !isClosed) {
      log.error('A process that runs records has died; they run again', { process: child.pid });
      await returnMessages(event);
    }
    return end && !end.failed ? end.answer : failAll(event);
  }

  const work: Work = async (...[name, event, timeoutSeconds]) => {
    idle.refresh();
    if (ready.size === 0 && event.Records.some(wasDelivered)) {
      startAll();
      if (workers.size > 0) await Promise.race(Array.from(workers, ({ started }) => started));
    }
    if (ready.size === 0) return invokeHere(name, event, timeoutSeconds);
    // In the place of those that have died.
    startAll();
    const free = [...ready].toSorted((one, other) => one.running.size - other.running.size);
    const answers = await Promise.all(
      divideEvent(event, free.length).map((part, index) =>
        invokeIn(free[index] as Worker, name, part, timeoutSeconds),
      ),
    );
    return { batchItemFailures: answers.flatMap((answer) => answer?.batchItemFailures ?? []) };
  };

  return {
    invoke: work,
    processIds: () => Array.from(ready, ({ child }) => child.pid),
    [Symbol.dispose]() {
      isClosed = true;
      clearTimeout(idle);
      endAll();
    },
  };
}

/** What was delivered before may have ended a process, so it does not run in the one that serves requests. */
const wasDelivered = ({ attributes }: SQSRecord) => attributes.ApproximateReceiveCount !== '1';

const failAll = ({ Records }: SQSEvent): SQSBatchResponse => ({
  batchItemFailures: Records.map(({ messageId }) => ({ itemIdentifier: messageId })),
});

/** Deals the message groups to at most so many events. */
function divideEvent({ Records }: SQSEvent, count: number): SQSEvent[] {
  const groups = Map.groupBy(Records, ({ attributes, messageId }) => attributes.MessageGroupId ?? messageId);
  const parts = Map.groupBy([...groups.values()].entries(), ([index]) => index % count);
  return Array.from(parts.values(), (part) => ({ Records: part.flatMap(([, records]) => records) }));
}
