import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { ClientRequest } from 'node:http';
import type { WarmGet } from '../http/warm-get.ts';
import { type Figure, progress } from '../measure/figure.ts';

interface Exchange {
  operation: string;
  startedAt: number;
  endedAt: number;
}

const calls = 20;

/** (c) The HTTP requests to DynamoDB for a warm GET, as seen by this process's HTTP client. */
export async function roundTrips(get: WarmGet): Promise<Figure[]> {
  progress('c: DynamoDB requests of a warm GET');
  const seen: Exchange[][] = [];
  for (let call = 0; call < calls; call++) seen.push(await exchangesOf(get));
  const trips = Math.max(...seen.map(tripsIn));
  return [
    {
      figure: 'c',
      what: 'DynamoDB requests of a warm GET /v1/flows/:id, all in one round trip',
      value: Math.max(...seen.map(({ length }) => length)),
      unit: 'requests',
      goal: { atMost: 2 },
      sound: trips === 1,
      details: { roundTrips: trips, operations: seen[0]?.map(({ operation }) => operation), calls },
    },
  ];
}

async function exchangesOf(call: () => Promise<unknown>): Promise<Exchange[]> {
  const exchanges = new Map<ClientRequest, Exchange>();
  const started = (message: unknown) => {
    const { request } = message as { request: ClientRequest };
    // Sent as a list, headers are known as text only.
    const [, operation = 'unknown'] = /x-amz-target: \w+\.(\w+)/.exec(Reflect.get(request, '_header')) ?? [];
    exchanges.set(request, { operation, startedAt: performance.now(), endedAt: Number.POSITIVE_INFINITY });
  };
  const ended = (message: unknown) => {
    const exchange = exchanges.get((message as { request: ClientRequest }).request);
    if (exchange) exchange.endedAt = performance.now();
  };
  subscribe('http.client.request.start', started);
  subscribe('http.client.response.finish', ended);
  await call();
  unsubscribe('http.client.request.start', started);
  unsubscribe('http.client.response.finish', ended);
  return [...exchanges.values()];
}

/** A request that starts after another has ended may have waited for it, so it counts as another round trip. */
function tripsIn(exchanges: readonly Exchange[]): number {
  let trips = 0;
  let firstEnd = Number.NEGATIVE_INFINITY;
  for (const { startedAt, endedAt } of exchanges.toSorted((one, other) => one.startedAt - other.startedAt)) {
    if (startedAt >= firstEnd) trips++;
    firstEnd = startedAt >= firstEnd ? endedAt : Math.min(firstEnd, endedAt);
  }
  return trips;
}
