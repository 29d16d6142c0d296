import { randomUUID } from 'node:crypto';
import type { Context } from 'aws-lambda';
import { createFlow } from '../../functions/flows/create.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { cpuSamples, samplingFacts } from '../measure/cpu-samples.ts';
import { type Figure, median, printProgress, round } from '../measure/figure.ts';
import { startRecording, stopRecording } from '../measure/recorder.ts';
import { startBenchStack } from '../measure/stack.ts';
import { eventFor, runtimeOn, useTable } from './warm-get.ts';

/** (reuse) What an idempotency key adds to POST /v1/flows, as a warm Lambda of this process. */
export async function measureIdempotencyKey(): Promise<Figure[]> {
  printProgress('reuse: what an idempotency key adds to a POST');
  await using stack = await startBenchStack();
  useTable(stack.facts.aws.dynamodb, stack.facts.table);
  const handler = toLambda(createFlow, runtimeOn(stack.facts.table));
  const event = await eventFor(stack);
  const context = { getRemainingTimeInMillis: () => 29_000 } as Context;
  const post = async (key: object): Promise<void> => {
    const headers = { 'content-type': 'application/json', ...key };
    const body = JSON.stringify({ name: 'Bench', flowSteps: [] });
    const { statusCode } = await handler({ ...event, httpMethod: 'POST', headers, body }, context);
    if (statusCode !== 201) throw new Error(`POST /v1/flows was answered with ${statusCode}`);
  };
  const ways = {
    plain: () => post({}),
    keyed: () => post({ 'idempotency-key': randomUUID() }),
  };
  const used = { plain: await useOf(ways.plain), keyed: await useOf(ways.keyed) };
  const samples = await cpuSamples(ways);
  const of = (value: (sample: (typeof samples)[number]) => number) => round(median(samples.map(value)));
  return [
    {
      figure: 'reuse',
      what: 'writes that an idempotency key adds to a POST',
      value: used.keyed.names.length - used.plain.names.length,
      unit: 'requests',
      goal: { atMost: 1 },
      details: {
        writeUnits: used.keyed.units - used.plain.units,
        cpuMs: of(({ keyed, plain }) => keyed - plain),
        requests: used,
        ...samplingFacts,
      },
    },
  ];
}

/** The requests of one warm call. */
async function useOf(call: () => Promise<void>) {
  await call();
  startRecording({ capacity: true });
  await call();
  const sent = stopRecording();
  return {
    names: sent.map(({ name }) => name),
    units: round(sent.reduce((sum, { capacityUnits }) => sum + capacityUnits, 0)),
  };
}
