import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { ClientRequest } from 'node:http';
import { getFlow } from '../../functions/flows/get.ts';
import { listRecords } from '../../functions/records/list.ts';
import { publishBenchFlow } from '../flows/batch.ts';
import { type WarmGet, warmGet } from '../http/warm-get.ts';
import { type Figure, printProgress } from '../measure/figure.ts';
import { startBenchStack } from '../measure/stack.ts';

interface Exchange {
  operation: string;
  startedAt: number;
  endedAt: number;
}

const calls = 20;

/** (c) The HTTP requests to DynamoDB for warm GETs, as seen by this process's HTTP client. */
export async function measureRoundTrips(): Promise<Figure[]> {
  printProgress('c: DynamoDB requests of warm GETs');
  await using stack = await startBenchStack();
  const { api } = stack;
  await api.call('records.create', { body: { type: 'thing', name: 'One', metadata: {} } });
  const flow = await seen(await warmGet(stack, getFlow, { id: await publishBenchFlow(api, 'local') }));
  const list = await seen(await warmGet(stack, listRecords, null, { includeCount: 'true' }));
  return [
    {
      figure: 'c',
      what: 'DynamoDB requests of a warm GET /v1/flows/:id, all in one round trip',
      value: flow.requests,
      unit: 'requests',
      goal: { atMost: 2 },
      sound: flow.trips === 1,
      details: flow,
    },
    {
      figure: 'c',
      what: 'DynamoDB round trips of the first page of GET /v1/records with a count',
      value: list.trips,
      unit: 'round trips',
      goal: { atMost: 2 },
      details: list,
    },
  ];
}

/** The most requests and round trips of some calls. */
async function seen(get: WarmGet) {
  const all: Exchange[][] = [];
  for (let call = 0; call < calls; call++) all.push(await exchangesOf(get));
  const operations = all[0]?.map(({ operation }) => operation);
  const requests = Math.max(...all.map(({ length }) => length));
  return { requests, trips: Math.max(...all.map(tripsIn)), operations, calls };
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
