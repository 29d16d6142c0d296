import {
  GetCommand,
  type GetCommandInput,
  UpdateCommand,
  type UpdateCommandInput,
} from '@aws-sdk/lib-dynamodb';
import type { APIGatewayRequestAuthorizerEvent } from 'aws-lambda';
import { handler as authorizer } from '../../functions/authorizer.ts';
import { credentialEntity } from '../../shared/platform/auth/api-key.ts';
import { generateKey, hashKey } from '../../shared/platform/auth/key-format.ts';
import { admit } from '../../shared/platform/auth/request-limiter.ts';
import { documentClient } from '../../shared/platform/data/client.ts';
import { type Principal, readPrincipal } from '../../shared/platform/identity/principal.ts';
import { productionRuntime } from '../../shared/platform/runtime.ts';
import { cpuBeyond } from '../http/request-cpu.ts';
import { useTable } from '../http/warm-get.ts';
import { type Figure, median, printProgress, round } from './figure.ts';
import { type SentCommand, startRecording, stopRecording } from './recorder.ts';
import { startBenchStack } from './stack.ts';

const tries = 1_000;
const warmUpTries = 200;
const endpoint = { permission: 'FLOWS:READ' } as const;

/** (o) The cost of access control: the authorizer, and the rate-limit counter of each request. */
export async function measureAccess(): Promise<Figure[]> {
  await using stack = await startBenchStack();
  useTable(stack.facts.aws.dynamodb, stack.facts.table);
  const principal = await authorize(stack.facts.liveKey);
  const scope = productionRuntime().scopeOf(principal.tenant);
  const meter = () => admit(scope, principal, endpoint);
  const both = async () => {
    await authorize(stack.facts.liveKey);
    const { refusal } = await meter();
    if (refusal) throw refusal;
  };
  // The first request of a window costs one more.
  await both();
  return [...(await requests(meter, both)), await cpu(both), await timing()];
}

async function authorize(key: string): Promise<Principal> {
  const { context } = await authorizer(eventOf(key));
  return readPrincipal({ authorizer: context ?? null, identity: { sourceIp: '127.0.0.1' } });
}

const eventOf = (key: string) =>
  ({
    methodArn: 'arn:aws:execute-api:us-east-1:1:api/dev/GET/v1/flows',
    headers: { authorization: `Bearer ${key}` },
  }) as unknown as APIGatewayRequestAuthorizerEvent;

async function sentBy(work: () => Promise<unknown>): Promise<SentCommand[]> {
  startRecording({ capacity: false });
  await work();
  return stopRecording();
}

async function requests(meter: () => Promise<unknown>, both: () => Promise<unknown>): Promise<Figure[]> {
  printProgress('o: DynamoDB requests, CPU and timing of the authorizer and the meter');
  const figure = async (what: string, work: () => Promise<unknown>, atMost: number): Promise<Figure> => {
    const sent = await sentBy(work);
    const operations = sent.map(({ name }) => name);
    return {
      figure: 'o',
      what,
      value: sent.length,
      unit: 'requests',
      goal: { atMost },
      details: { operations },
    };
  };
  return [
    await figure('DynamoDB requests for access, with the authorizer’s answer kept', meter, 1),
    await figure('DynamoDB requests for access, with the authorizer asked', both, 2),
  ];
}

async function cpu(both: () => Promise<unknown>): Promise<Figure> {
  const inputs = new Map((await sentBy(both)).map(({ name, input }) => [name, input]));
  const client = documentClient();
  const { value, wholeMs, ...details } = await cpuBeyond(both, async () => {
    await client.send(new GetCommand(inputs.get('Get') as GetCommandInput));
    await client.send(new UpdateCommand(inputs.get('Update') as UpdateCommandInput));
  });
  return {
    figure: 'o',
    what: 'CPU time of authorizer and meter per warm request, beyond their DynamoDB requests',
    value,
    unit: 'ms',
    goal: { atMost: 0.3 },
    details: { accessMs: wholeMs, ...details },
  };
}

/** Alternates wrong and right keys, so that load on the machine affects both. */
async function timing(): Promise<Figure> {
  const { table } = productionRuntime().scopeOf('');
  const right = Array.from({ length: tries + warmUpTries }, () => generateKey('production'));
  const owner = { keyId: 'key', userId: 'u', organizationId: null, environment: 'production' } as const;
  for (const key of right) {
    await table.commit([table.writes.insert(credentialEntity, { hash: hashKey(key), ...owner })]);
  }
  const taken: Record<'right' | 'wrong', number[]> = { right: [], wrong: [] };
  for (const [index, key] of right.entries()) {
    const pair = [['right', key] as const, ['wrong', generateKey('production')] as const];
    for (const [kind, value] of index % 2 ? pair : pair.toReversed()) {
      const began = performance.now();
      await authorizer(eventOf(value));
      if (index >= warmUpTries) taken[kind].push(performance.now() - began);
    }
  }
  const [rightMs, wrongMs] = [median(taken.right), median(taken.wrong)];
  const spreadMs = spreadOf(taken.right);
  return {
    figure: 'o',
    what: 'How far the median time for a wrong key is from that for a right one, in spreads of the right ones',
    value: round(Math.abs(rightMs - wrongMs) / spreadMs),
    unit: 'spreads',
    goal: { atMost: 1 },
    details: {
      rightMs: round(rightMs),
      wrongMs: round(wrongMs),
      wrongOverRight: round(wrongMs / rightMs),
      spreadMs: round(spreadMs),
      tries,
    },
  };
}

/** The interquartile range. */
function spreadOf(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const [low = 0, high = 0] = [0.25, 0.75].map((part) => sorted[Math.floor(part * sorted.length)]);
  return high - low;
}
