import { readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { loadOnce } from '../../../shared/core/concurrency/load-once.ts';
import { ServiceError } from '../../../shared/core/errors/errors.ts';

/** What the process says of its time. Injected in tests. */
export interface ProcessTime {
  nowMs: () => number;
  /** The share of the last second in which the process had work, from 0 to 1. */
  utilization: () => number;
  /** The highest such share of the last ten seconds. */
  highestUtilization: () => number;
}

const saturated = 0.9;
/** Fewer requests of an endpoint never wait for each other for long. */
const runningMin = 8;
/** Of the time limit of a request. The rest is for what is estimated wrongly. */
const shareMax = 1 / 3;
/** How long the rate is measured, and when it is one: a burst has just begun. */
const windowMs = 5_000;
const measuredMs = 3_000;

interface Load {
  /** When those that run began, the first one first. */
  running: Set<{ since: number }>;
  /** When requests ended, within the window. */
  ended: number[];
  /** Since when there has always been one that runs. */
  since: number;
}

/**
 * Refuses a request that would not end in its time, before it begins: while the process has no time left, a further one
 * ends after all those of its endpoint that run, at the rate at which they have ended lately. Without this, all would be
 * begun, and a 504 would say that nothing is known of them although their work is done.
 */
export function makeAdmission({ nowMs, utilization, highestUtilization }: ProcessTime = ownTime()) {
  const loads = new Map<string, Load>();

  /** How long a further request would take. */
  function secondsFor({ running, ended, since }: Load): number {
    const [oldest] = running;
    const ageMs = oldest ? nowMs() - oldest.since : 0;
    while (ended.length > 0 && (ended[0] as number) < nowMs() - windowMs) ended.shift();
    const perSecond = ended.length / (Math.min(windowMs, nowMs() - since) / 1_000);
    return Math.max(ageMs / 1_000, ageMs >= measuredMs && perSecond > 0 ? running.size / perSecond : 0);
  }

  /** @returns what to call at the end of the request. @throws ServiceError BUSY */
  function begin(endpoint: string, timeoutSeconds: number): () => void {
    const load = loads.get(endpoint) ?? { running: new Set(), ended: [], since: 0 };
    loads.set(endpoint, load);
    if (load.running.size === 0) load.since = nowMs();
    if (load.running.size >= runningMin && utilization() > saturated) {
      const seconds = secondsFor(load);
      if (seconds > timeoutSeconds * shareMax) throw busy(Math.min(Math.ceil(seconds), timeoutSeconds));
    }
    const entry = { since: nowMs() };
    load.running.add(entry);
    return () => {
      load.running.delete(entry);
      load.ended.push(nowMs());
      if (load.ended.length > endedMax) load.ended.shift();
    };
  }

  return {
    begin,
    /**
     * Twice the time limit for what begins while the process had no time left lately: its client gets the result, not a
     * 504. On a busy machine, a second with time left is followed by others without.
     */
    secondsOf: (timeoutSeconds: number) => (highestUtilization() > saturated ? 2 : 1) * timeoutSeconds,
  };
}

/** Enough for the rates at which it matters. */
const endedMax = 1_000;

const busy = (retryAfterSeconds: number) =>
  new ServiceError(
    'BUSY',
    'The service is busy with earlier requests. Nothing was done: send the request again later',
    {
      retryAfterSeconds,
    },
  );

const samplesKept = 10;

const ownTime = loadOnce((): ProcessTime => {
  let before = sample();
  const latest: number[] = [];
  setInterval(() => {
    const now = sample();
    const { utilization } = performance.eventLoopUtilization(now.loop, before.loop);
    latest.push(Math.max(utilization, (now.runnableMs - before.runnableMs) / (now.atMs - before.atMs)));
    before = now;
    if (latest.length > samplesKept) latest.shift();
  }, 1_000).unref();
  return {
    nowMs: () => performance.now(),
    utilization: () => latest.at(-1) ?? 0,
    highestUtilization: () => Math.max(0, ...latest),
  };
});

const sample = () => ({
  loop: performance.eventLoopUtilization(),
  runnableMs: runnableMs(),
  atMs: performance.now(),
});

/**
 * How long the main thread has run or waited for a processor, as Linux counts it: the event loop takes the wait after an
 * event for idle time. @returns 0 on other systems
 */
function runnableMs(): number {
  try {
    const [ran = 0, waited = 0] = readFileSync('/proc/self/schedstat', 'utf8').split(' ').map(Number);
    return (ran + waited) / 1e6;
  } catch {
    return 0;
  }
}
