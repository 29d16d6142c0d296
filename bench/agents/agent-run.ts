import {
  BatchWriteCommand,
  type DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  TransactWriteCommand,
} from '@aws-sdk/lib-dynamodb';
import { documentClient } from '../../shared/platform/data/client.ts';
import type { Scope } from '../../shared/platform/data/scope.ts';
import { runtimeOn, useTable } from '../http/warm-get.ts';
import { cpuSamples, samplingFacts } from '../measure/cpu-samples.ts';
import { type Figure, median, printProgress, round } from '../measure/figure.ts';
import { type SentCommand, startRecording, stopRecording } from '../measure/recorder.ts';
import { agentModels, startBenchStack, startModelServer } from '../measure/stack.ts';
import {
  httpModel,
  memoryModel,
  memoryScope,
  ourLoop,
  ourRun,
  theirHttpModel,
  theirMemoryModel,
  theirRun,
} from './agent-ways.ts';

/**
 * (s) A run of an agent of two turns with one tool call, beside the tool loop of the AI SDK: as a whole, without the
 * requests to DynamoDB, and the loop alone. Its requests.
 */
export async function measureAgentRun(): Promise<Figure[]> {
  printProgress('s: CPU and requests of a run of an agent, against the tool loop of the AI SDK');
  using models = await startModelServer(agentModels);
  await using stack = await startBenchStack();
  useTable(stack.facts.aws.dynamodb, stack.facts.table);
  const scope = runtimeOn(stack.facts.table)().scopeOf('user:bench');
  const sent = await requestsOfRun(scope, models.url);
  const samples = await cpuSamples({
    run: () => ourRun(scope, httpModel(models.url)),
    sdk: () => theirRun(theirHttpModel(models.url)),
    bareWrites: sender(sent),
    runInMemory: () => ourRun(memoryScope(), memoryModel),
    loop: () => ourLoop(memoryModel),
    sdkInMemory: () => theirRun(theirMemoryModel),
  });
  return figuresOf(samples, sent);
}

type Sample = Record<'run' | 'sdk' | 'bareWrites' | 'runInMemory' | 'loop' | 'sdkInMemory', number>;

function figuresOf(samples: readonly Sample[], sent: readonly SentCommand[]): Figure[] {
  const of = (value: (sample: Sample) => number) => round(median(samples.map(value)));
  const times = (what: string, value: (sample: Sample) => number, goal: number, details = {}): Figure => ({
    figure: 's',
    what,
    value: of(value),
    unit: 'times',
    goal: { atMost: goal },
    details,
  });
  return [
    times(
      'CPU time of a run of two turns and a tool call with every turn written, as a multiple of the AI SDK’s loop in memory',
      ({ run, sdk }) => run / sdk,
      1.5,
      { oursMs: of(({ run }) => run), aiSdkMs: of(({ sdk }) => sdk), ...samplingFacts },
    ),
    times(
      'the same without the CPU time that the AWS SDK takes to send its requests alone',
      ({ run, sdk, bareWrites }) => (run - bareWrites) / sdk,
      1.5,
      {
        requestsMs: of(({ bareWrites }) => bareWrites),
        runInMemoryMs: of(({ runInMemory }) => runInMemory),
      },
    ),
    times(
      'CPU time of the loop alone, as a multiple of the AI SDK’s loop, both with a model in this process',
      ({ loop, sdkInMemory }) => loop / sdkInMemory,
      1,
      { oursMs: of(({ loop }) => loop), aiSdkMs: of(({ sdkInMemory }) => sdkInMemory) },
    ),
    {
      figure: 's',
      what: 'DynamoDB requests for each of the two turns, with the start and the end of the run',
      value: sent.length / 2,
      unit: 'requests',
      goal: { atMost: 2 },
      details: {
        operations: sent.map(({ name }) => name),
        units: sent.reduce((sum, { capacityUnits }) => sum + capacityUnits, 0),
      },
    },
  ];
}

async function requestsOfRun(scope: Scope, url: string): Promise<SentCommand[]> {
  await ourRun(scope, httpModel(url));
  startRecording({ capacity: true });
  await ourRun(scope, httpModel(url));
  return stopRecording();
}

const commandsByName = {
  Put: PutCommand,
  Get: GetCommand,
  BatchWrite: BatchWriteCommand,
  TransactWrite: TransactWriteCommand,
};

/** Sends the same requests again through the SDK alone. Their items exist by then, which the conditions do not allow. */
function sender(sent: readonly SentCommand[]): () => Promise<void> {
  const client: DynamoDBDocumentClient = documentClient();
  const commands = sent.map(({ name, input }) => {
    const repeatable = JSON.parse(
      JSON.stringify(input, (key, value) =>
        key === 'ConditionExpression'
          ? value.replace('attribute_not_exists(PK)', 'attribute_exists(PK)')
          : value,
      ),
    );
    return () =>
      client.send(new commandsByName[name as keyof typeof commandsByName](repeatable) as PutCommand);
  });
  return async () => {
    for (const send of commands) await send();
  };
}
