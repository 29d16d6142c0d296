import { publishFlow, runBatch, stepsPerFlow, uploadAirports } from './batch.ts';
import { type Figure, progress, round } from './figure.ts';
import { assumptions, priceOfMillionRecords, prices, type RecordUse } from './prices.ts';
import type { SentCommand } from './recorder.ts';
import { startModels, startStack } from './stack.ts';

const warmUpRecords = 300;
const measuredRecords = 1_000;
const writeCommands = ['Put', 'Update', 'Delete', 'BatchWrite', 'TransactWrite'];
const readCommands = ['Get', 'BatchGet', 'Query'];
const sqsCommands = [
  'SendMessage',
  'SendMessageBatch',
  'ReceiveMessage',
  'DeleteMessageBatch',
  'ChangeMessageVisibilityBatch',
];

/** (d) The AWS resources and costs of a record in a 3-step flow with one model call. */
export async function writesAndPrice(): Promise<Figure[]> {
  progress('d: what a record takes of DynamoDB, SQS and Lambda');
  const use = await useOfOneRecord();
  const { eachModelSecond, ...parts } = priceOfMillionRecords(use);
  const ofSteps = (usd: number) => round(usd / stepsPerFlow);
  const usd = Object.fromEntries(Object.entries(parts).map(([service, price]) => [service, ofSteps(price)]));
  return [
    {
      figure: 'd',
      what: 'write requests per record of a 3-step flow with one model call',
      value: use.writeRequests,
      unit: 'requests',
      goal: { atMost: 4 },
      details: { writeUnits: use.writeUnits, readUnits: use.readUnits, records: measuredRecords },
    },
    {
      figure: 'd',
      what: 'AWS price of a million steps of that flow',
      value: ofSteps(parts.dynamoDb + parts.sqs + parts.lambda),
      unit: 'USD',
      goal: { atMost: 5 },
      details: { usd, eachModelSecondUsd: ofSteps(eachModelSecond), perRecord: use, prices, assumptions },
    },
  ];
}

async function useOfOneRecord(): Promise<RecordUse> {
  using models = await startModels();
  await using stack = await startStack({ modelsUrl: models.url });
  await uploadAirports(stack.api, 'warm-up', warmUpRecords);
  await uploadAirports(stack.api, 'measured', measuredRecords);
  const flowId = await publishFlow(stack.api, 'model');
  await runBatch(stack.api, flowId, 'warm-up');
  const cpuBefore = await stack.ask('cpuMs');
  await stack.ask('startRecording', { capacity: true });
  // Counts everything that the stack sends, including the few calls of the bench that follow the batch.
  await runBatch(stack.api, flowId, 'measured');
  const sent = await stack.ask('stopRecording');
  const cpuMs = (await stack.ask('cpuMs')) - cpuBefore;
  const perRecord = (total: number) => round(total / measuredRecords);
  return {
    writeUnits: perRecord(unitsOf(sent, writeCommands)),
    readUnits: perRecord(unitsOf(sent, readCommands)),
    writeRequests: perRecord(countOf(sent, writeCommands)),
    sqsRequests: perRecord(countOf(sent, sqsCommands)),
    // An invocation ends when its messages are deleted.
    invocations: perRecord(countOf(sent, ['DeleteMessageBatch'])),
    cpuMs: perRecord(cpuMs),
  };
}

const of = (sent: readonly SentCommand[], names: readonly string[]) =>
  sent.filter(({ name }) => names.includes(name));
const countOf = (sent: readonly SentCommand[], names: readonly string[]) => of(sent, names).length;
const unitsOf = (sent: readonly SentCommand[], names: readonly string[]) =>
  of(sent, names).reduce((sum, { capacityUnits }) => sum + capacityUnits, 0);
