import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { Context } from 'aws-lambda';
import { dispatch } from '../../functions/dispatch/run.ts';
import { runSurfaceItem } from '../../functions/surface-runs/run.ts';
import { localUser } from '../../infra/local/credentials.ts';
import { hashKey } from '../../shared/platform/auth/key-format.ts';
import type { AnyEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toStreamingLambda } from '../../shared/platform/http/lambda/streaming-lambda.ts';
import { toContext, toTenant } from '../../shared/platform/identity/principal.ts';
import { publishGreetingProduct } from '../flows/greeting-product.ts';
import { cpuSamples, samplingFacts } from '../measure/cpu-samples.ts';
import { type Figure, median, printProgress, round } from '../measure/figure.ts';
import { startRecording, stopRecording } from '../measure/recorder.ts';
import { type BenchStack, startBenchStack } from '../measure/stack.ts';
import { eventFor, runtimeOn, useTable } from './warm-get.ts';

const inputs = { person: 'Ada' };

/** (x) A call of a flow through an api surface, beside a dispatched run of the same flow, as warm Lambdas of this process. */
export async function measureSurfaceCall(): Promise<Figure[]> {
  printProgress('x: a call through an api surface, against a dispatched run');
  await using stack = await startBenchStack();
  useTable(stack.facts.aws.dynamodb, stack.facts.table);
  const { flowId, surface } = await exposedFlow(stack);
  const event = await eventFor(stack);
  const body = { flow: { id: flowId }, inputs, options: { streamResponse: false } };
  const dispatched = callOf(stack, dispatch, { ...event, body: JSON.stringify(body) });
  const through = callOf(stack, runSurfaceItem, { ...event, ...surface });
  const requests = { dispatch: await requestsOf(dispatched), surface: await requestsOf(through) };
  const samples = await cpuSamples({ dispatched, through });
  const of = (value: (sample: (typeof samples)[number]) => number) => round(median(samples.map(value)));
  return [
    {
      figure: 'x',
      what: 'DynamoDB requests of a call through an api surface, beyond a dispatched run of its flow',
      value: requests.surface.length - requests.dispatch.length,
      unit: 'requests',
      goal: { atMost: 1 },
      details: requests,
    },
    {
      figure: 'x',
      what: 'CPU time of a call through an api surface, beyond a dispatched run of its flow',
      value: of((sample) => sample.through - sample.dispatched),
      unit: 'ms',
      goal: { atMost: 0.3 },
      details: {
        dispatchMs: of((sample) => sample.dispatched),
        surfaceMs: of((sample) => sample.through),
        ...samplingFacts,
      },
    },
  ];
}

/** A published flow of one template, and the call of an api surface that exposes it. */
async function exposedFlow({ api }: BenchStack) {
  const { flowId, productId: id, capabilityId } = await publishGreetingProduct(api);
  const surface = await api.call('surfaces.create', {
    params: { id },
    body: { name: 'Bench', type: 'api', status: 'active' },
  });
  const place = { params: { id, surfaceId: surface.id } };
  await api.call('surfaces.add-item', {
    ...place,
    body: { capabilityId, endpointSlug: 'greet' },
  });
  const key = await api.call('surface-keys.create', {
    ...place,
    body: { environment: 'production', rateLimitPerMinute: 1_000_000 },
  });
  const owner = { tenant: toTenant(localUser, null), userId: localUser, organizationId: null };
  const authorizer = toContext({
    kind: 'surface',
    ...owner,
    environment: 'production',
    permissions: [],
    keyId: key.id,
    hash: hashKey(key.key),
    surfaceId: surface.id,
  });
  return {
    flowId,
    surface: {
      pathParameters: { id, surfaceId: surface.id, endpointSlug: 'greet' },
      requestContext: { requestId: 'bench', authorizer, identity: { sourceIp: '127.0.0.1' } },
      body: JSON.stringify(inputs),
    },
  };
}

/** One call of an endpoint as a warm Lambda, with its whole response. */
function callOf({ facts }: BenchStack, endpoint: AnyEndpoint, given: object) {
  const handler = toStreamingLambda(endpoint, runtimeOn(facts.table));
  const event = { ...given, headers: { 'content-type': 'application/json' }, httpMethod: 'POST' };
  const context = { getRemainingTimeInMillis: () => 29_000 } as Context;
  return async (): Promise<void> => {
    const stream = new PassThrough();
    const received = text(stream);
    await handler({ ...event }, stream, context);
    const response = await received;
    if (!response.includes('Hello Ada')) throw new Error(`${endpoint.id} was answered with ${response}`);
  };
}

/** The names of the requests of one warm call. */
async function requestsOf(call: () => Promise<void>): Promise<string[]> {
  await call();
  startRecording({ capacity: false });
  await call();
  return stopRecording().map(({ name }) => name);
}
