import { CloudWatchClient, GetMetricDataCommand } from '@aws-sdk/client-cloudwatch';
import { GetEventSourceMappingCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { GetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { oldestMinutes } from '../../aws/monitoring/oldest-minutes.ts';
import { type QueueName, queues } from '../../resources.ts';
import { type CheckFinding, type DoctorCheck, ok, problem } from './check.ts';
import type { Subject } from './deployment-checks.ts';
import { queueUrl } from './resources.ts';

const queueNames = Object.keys(queues) as QueueName[];

export const queueChecks: readonly DoctorCheck<Subject>[] = [
  { id: 'event-sources', what: 'Event sources', run: eventSources },
  { id: 'queues', what: 'Queues', run: waiting },
  { id: 'dead-letters', what: 'Dead-letter queues', run: deadLetters },
];

async function eventSources({ resources }: Subject): Promise<CheckFinding> {
  const client = new LambdaClient({});
  const ids = resources.filter(({ type }) => type === 'AWS::Lambda::EventSourceMapping').map(({ id }) => id);
  const mappings = await Promise.all(
    ids.map((UUID) => client.send(new GetEventSourceMappingCommand({ UUID }))),
  );
  const off = mappings.filter(({ State }) => State !== 'Enabled');
  const expected = 2 * queueNames.length;
  if (ids.length !== expected)
    return problem(
      `The stack has ${ids.length} event sources, not ${expected}`,
      'Deploy again: the stack is not of this code.',
    );
  if (off.length === 0) return ok(`${ids.length} enabled`);
  const named = off.map(
    ({ UUID, State, FunctionArn = '' }) => `${FunctionArn.split(':')[6]} (${UUID}: ${State})`,
  );
  return problem(
    `Not enabled: ${named.join(', ')}`,
    'aws lambda update-event-source-mapping --enabled --uuid …, once the reason is gone.',
  );
}

/** Approximate, as SQS counts. */
async function depthsOf({ resources }: Subject, kind: '' | 'deadletters') {
  // An endpoint that the environment names applies to queues too.
  const client = new SQSClient({ useQueueUrlAsEndpoint: false });
  return Promise.all(
    queueNames.map(async (queue) => {
      const QueueUrl = queueUrl(resources, queue, kind);
      if (!QueueUrl) throw new Error(`The stack has no queue ${queue}`);
      const { Attributes = {} } = await client.send(
        new GetQueueAttributesCommand({
          QueueUrl,
          AttributeNames: ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible'],
        }),
      );
      return {
        queue,
        name: QueueUrl.split('/').at(-1) ?? '',
        waiting: Number(Attributes.ApproximateNumberOfMessages ?? 0),
        inFlight: Number(Attributes.ApproximateNumberOfMessagesNotVisible ?? 0),
      };
    }),
  );
}

async function waiting(subject: Subject): Promise<CheckFinding> {
  const depths = await depthsOf(subject, '');
  const ages = await oldestMessages(depths);
  const shown = depths.map(
    ({ queue, waiting, inFlight }, index) =>
      `${queue} ${waiting} waiting, ${inFlight} in flight${ages[index] ? `, oldest ${minutes(ages[index])}` : ''}`,
  );
  const late = depths.filter(({ queue }, index) => (ages[index] ?? 0) > oldestMinutes[queue] * 60);
  if (late.length === 0) return ok(shown.join('; '));
  return problem(
    shown.join('; '),
    `${late.map(({ queue }) => queue).join(', ')}: docs/runbook.md#oldest-message.`,
  );
}

async function deadLetters(subject: Subject): Promise<CheckFinding> {
  const filled = (await depthsOf(subject, 'deadletters')).filter(({ waiting }) => waiting > 0);
  if (filled.length === 0) return ok('Empty');
  return problem(
    filled.map(({ queue, waiting }) => `${queue} ${waiting}`).join(', '),
    filled.map(({ queue }) => `docs/runbook.md#dead-letters-${queue}`).join(', '),
  );
}

/** In seconds; `undefined` without a data point, as for a queue that nothing used lately. */
async function oldestMessages(queues: readonly { name: string }[]): Promise<(number | undefined)[]> {
  const now = Date.now();
  const { MetricDataResults = [] } = await new CloudWatchClient({}).send(
    new GetMetricDataCommand({
      StartTime: new Date(now - lookBackMs),
      EndTime: new Date(now),
      ScanBy: 'TimestampDescending',
      MetricDataQueries: queues.map(({ name }, index) => ({
        Id: `q${index}`,
        MetricStat: {
          Metric: {
            Namespace: 'AWS/SQS',
            MetricName: 'ApproximateAgeOfOldestMessage',
            Dimensions: [{ Name: 'QueueName', Value: name }],
          },
          Period: 60,
          Stat: 'Maximum',
        },
      })),
    }),
  );
  return queues.map((_, index) => MetricDataResults.find(({ Id }) => Id === `q${index}`)?.Values?.[0]);
}

const lookBackMs = 10 * 60_000;
const minutes = (seconds: number) => (seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 60)} min`);
