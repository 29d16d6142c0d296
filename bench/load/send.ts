import { setTimeout as sleep } from 'node:timers/promises';
import { countFailure, type LoadMeasurement } from './meter.ts';
import type { LoadPlan } from './plan.ts';

type Send = (index: number) => Promise<unknown>;
type Options = Pick<LoadPlan, 'pace' | 'requests' | 'seconds'> & { signal: AbortSignal };

/** Sends the requests of a plan until they are done, the time is over, or the signal aborts. */
export async function sendAll(send: Send, options: Options, measured: LoadMeasurement): Promise<void> {
  const began = performance.now();
  const request = async (index: number, plannedAt: number) => {
    await send(index).catch((error) => countFailure(measured, error));
    measured.latencies.push(performance.now() - plannedAt);
  };
  await ('rate' in options.pace
    ? atRate(request, options.pace.rate, options, began)
    : sideBySide(request, options.pace.concurrency, options, began));
  measured.seconds = (performance.now() - began) / 1_000;
}

type Request = (index: number, plannedAt: number) => Promise<void>;

/**
 * Latency counts from the time at which a request should have been sent, so a service that stalls makes all requests
 * slow that arrive meanwhile, not one.
 */
async function atRate(request: Request, rate: number, { requests, signal }: Options, began: number) {
  const sent: Promise<void>[] = [];
  for (let index = 0; index < requests && !signal.aborted; index++) {
    const plannedAt = began + (index * 1_000) / rate;
    const waitMs = plannedAt - performance.now();
    if (waitMs > 0) await sleep(waitMs, undefined, { signal }).catch(() => {});
    if (!signal.aborted) sent.push(request(index, plannedAt));
  }
  await Promise.all(sent);
}

async function sideBySide(
  request: Request,
  concurrency: number,
  { requests, seconds, signal }: Options,
  began: number,
) {
  let next = 0;
  const isOver = () => next >= requests || signal.aborted || performance.now() > began + seconds * 1_000;
  const worker = async () => {
    while (!isOver()) await request(next++, performance.now());
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
}
