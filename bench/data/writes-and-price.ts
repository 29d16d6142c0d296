import { publishBenchFlow, runBatch, stepsPerFlow, uploadFirstAirports } from '../flows/batch.ts';
import { type Figure, printProgress, round } from '../measure/figure.ts';
import { assumptions, priceOfMillionRecords, prices, type ResourceUse } from '../measure/prices.ts';
import { startBenchStack, startModelServer } from '../measure/stack.ts';
import { measureUse } from '../measure/use.ts';

const warmUpRecords = 300;
const measuredRecords = 1_000;

/** (d) The AWS resources and costs of a record in a 3-step flow with one model call. */
export async function measureWritesAndPrice(): Promise<Figure[]> {
  printProgress('d: what a record takes of DynamoDB, SQS and Lambda');
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

async function useOfOneRecord(): Promise<ResourceUse> {
  using models = await startModelServer();
  await using stack = await startBenchStack({ modelsUrl: models.url });
  await uploadFirstAirports(stack.api, 'warm-up', warmUpRecords);
  await uploadFirstAirports(stack.api, 'measured', measuredRecords);
  const flowId = await publishBenchFlow(stack.api, 'model');
  await runBatch(stack.api, flowId, 'warm-up');
  // Counts everything that the stack sends, including the few calls of the bench that follow the batch.
  return await measureUse(stack, measuredRecords, () => runBatch(stack.api, flowId, 'measured'));
}
