import { Duration } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction as LambdaTarget } from 'aws-cdk-lib/aws-events-targets';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import type { Construct } from 'constructs';
import { deadLetters, type QueueName, type QueueSpec, queues, timers } from '../resources.ts';
import type { EnvironmentName } from './environments.ts';
import type { Stores } from './stores.ts';

type LambdaOf = (worker: string) => LambdaFunction;

/** Connects each queue and each dead-letter queue to its worker, and the timers to theirs. */
export function addEventSources(
  scope: Construct,
  lambdaOf: LambdaOf,
  stores: Stores,
  environment: EnvironmentName,
) {
  for (const [name, spec] of Object.entries(queues))
    connect(name as QueueName, spec, stores, environment, lambdaOf);
  for (const { worker, everyMinutes } of timers) {
    const schedule = Schedule.rate(Duration.minutes(everyMinutes));
    new Rule(scope, `${worker}-timer`, { schedule, targets: [new LambdaTarget(lambdaOf(worker))] });
  }
}

function connect(
  name: QueueName,
  { worker, deadLetterWorker, batchSize, maxConcurrency }: QueueSpec,
  stores: Stores,
  environment: EnvironmentName,
  lambdaOf: LambdaOf,
) {
  const reportBatchItemFailures = true;
  lambdaOf(worker).addEventSource(
    new SqsEventSource(stores.queues[name], {
      batchSize,
      reportBatchItemFailures,
      maxConcurrency: maxConcurrency[environment],
    }),
  );
  lambdaOf(deadLetterWorker).addEventSource(
    new SqsEventSource(stores.deadLetters[name], {
      batchSize: deadLetters.batchSize,
      maxConcurrency: deadLetters.maxConcurrency,
    }),
  );
}
