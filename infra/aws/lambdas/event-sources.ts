import { CfnRule } from 'aws-cdk-lib/aws-events';
import type { Role } from 'aws-cdk-lib/aws-iam';
import { CfnEventSourceMapping, CfnPermission } from 'aws-cdk-lib/aws-lambda';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { deadLetters, type QueueName, type QueueSpec, queues, timers } from '../../resources.ts';
import { workersGroup } from '../conventions/entries.ts';
import { functionNamePrefix } from '../conventions/names.ts';
import type { Settings } from '../conventions/settings.ts';
import type { Stores } from '../stores/stores.ts';

interface Consumers {
  settings: Settings;
  stores: Stores;
  /** The role of the group, which reads the queues. */
  role: Role;
  /** The ARN by which a Lambda of the group is invoked, by its id. */
  targetOf: (id: string) => string | undefined;
}

/** Connects the queues and dead-letter queues of a group to their workers, and the timers to theirs. */
export function addEventSources(scope: Construct, group: string, consumers: Consumers): void {
  const specs: [string, QueueSpec][] = Object.entries(queues);
  for (const [name, spec] of specs)
    if ((spec.group ?? workersGroup) === group) connect(scope, name as QueueName, spec, consumers);
  if (group === workersGroup) for (const timer of timers) addTimer(scope, timer, consumers);
}

function connect(scope: Construct, name: QueueName, spec: QueueSpec, consumers: Consumers): void {
  const { stores, settings } = consumers;
  const { worker, deadLetterWorker, batchSize, maxConcurrency } = spec;
  addSource(scope, `${name}-messages`, stores.queues[name], worker, consumers, {
    batchSize,
    functionResponseTypes: ['ReportBatchItemFailures'],
    // D53
    scalingConfig: { maximumConcurrency: maxConcurrency[settings.env] },
  });
  addSource(scope, `${name}-dead-letters`, stores.deadLetters[name], deadLetterWorker, consumers, {
    batchSize: deadLetters.batchSize,
    scalingConfig: { maximumConcurrency: deadLetters.maxConcurrency },
  });
}

function addSource(
  scope: Construct,
  id: string,
  queue: IQueue,
  worker: string,
  { role, targetOf }: Consumers,
  options: object,
): void {
  queue.grantConsumeMessages(role);
  const functionName = required(targetOf(`workers.${worker}`), worker);
  new CfnEventSourceMapping(scope, id, { eventSourceArn: queue.queueArn, functionName, ...options });
}

function addTimer(
  scope: Construct,
  { worker, everyMinutes }: (typeof timers)[number],
  { settings, targetOf }: Consumers,
): void {
  const functionName = required(targetOf(`workers.${worker}`), worker);
  const unit: string = everyMinutes === 1 ? 'minute' : 'minutes';
  const rule = new CfnRule(scope, `${worker}-timer`, {
    // Fixed, so that an operator can stop the timers of a deployment.
    name: `${functionNamePrefix(settings.env)}${worker}`,
    scheduleExpression: `rate(${everyMinutes} ${unit})`,
    state: 'ENABLED',
    targets: [{ id: worker, arn: functionName }],
  });
  const permission = { action: 'lambda:InvokeFunction', principal: 'events.amazonaws.com' };
  new CfnPermission(scope, `${worker}-permission`, { ...permission, functionName, sourceArn: rule.attrArn });
}

function required(target: string | undefined, worker: string): string {
  if (!target) throw new Error(`The Lambda of ${worker} is missing`);
  return target;
}
