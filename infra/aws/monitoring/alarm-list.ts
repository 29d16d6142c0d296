import type { IMetric } from 'aws-cdk-lib/aws-cloudwatch';
import { type QueueName, queues, timers } from '../../resources.ts';
import { entries } from '../conventions/entries.ts';
import type { Settings } from '../conventions/settings.ts';
import type { Measurements } from './measurements.ts';
import { oldestMinutes } from './oldest-minutes.ts';

export interface AlarmSpec {
  /** Ends the alarm's name. */
  id: string;
  /** The heading of its entry in docs/runbook.md. */
  runbook: string;
  /** What is wrong when it sounds. */
  what: string;
  metric: IMetric;
  /** Sounds above it. */
  threshold: number;
  /** How many of how many periods must be above the threshold. */
  periods: readonly [breaching: number, evaluated: number];
  /** Which releases it stops and rolls back. */
  stops?: 'all releases' | `release of ${string}`;
}

/** Milliseconds. Some endpoints may take 29 s: uploads, bulk edits, small batches that the request waits for. */
const latencyMax = 10_000;

/** Every alarm. `docs/runbook.md` says for each what it means and what to do. */
export const listAlarms = (m: Measurements, { alarmCostPerHourUsd }: Settings): readonly AlarmSpec[] => [
  ...requestAlarms(m),
  ...workerAlarms(m),
  ...(Object.keys(queues) as QueueName[]).flatMap((queue) => queueAlarms(m, queue)),
  {
    id: 'table-throttles',
    runbook: 'table-throttles',
    what: 'DynamoDB throttles reads or writes of the table',
    metric: m.tableThrottles,
    threshold: 10,
    periods: [3, 5],
  },
  {
    id: 'table-errors',
    runbook: 'table-errors',
    what: 'DynamoDB answers with errors of its own',
    metric: m.tableErrors,
    threshold: 0,
    periods: [1, 1],
  },
  {
    id: 'scheduler-errors',
    runbook: 'scheduler-errors',
    what: 'EventBridge Scheduler cannot send the timers of suspended runs to their queue',
    metric: m.ofScheduler('TargetErrorCount'),
    threshold: 0,
    periods: [1, 1],
  },
  {
    id: 'scheduler-dropped',
    runbook: 'scheduler-dropped',
    what: 'EventBridge Scheduler gave up timers of suspended runs',
    metric: m.ofScheduler('InvocationDroppedCount'),
    threshold: 0,
    periods: [1, 1],
  },
  {
    id: 'schedules-errors',
    runbook: 'scheduler-errors',
    what: 'EventBridge Scheduler cannot wake schedules; the sweep fires them late',
    metric: m.ofScheduler('TargetErrorCount', 'schedules'),
    threshold: 0,
    periods: [1, 1],
  },
  {
    id: 'model-cost',
    runbook: 'model-cost',
    what: `Model calls cost more than ${alarmCostPerHourUsd} USD in an hour`,
    metric: m.own('ModelCost', { minutes: 60 }),
    threshold: alarmCostPerHourUsd,
    periods: [1, 1],
  },
];

const requestAlarms = (m: Measurements): readonly AlarmSpec[] => [
  {
    id: 'api-errors',
    runbook: 'api-errors',
    what: 'More than 1 % of all responses are 5xx',
    metric: m.apiErrorRate,
    threshold: 1,
    periods: [3, 5],
    stops: 'all releases',
  },
  {
    id: 'endpoint-errors',
    runbook: 'endpoint-errors',
    what: 'Endpoints answer with 5xx, more than four times a minute',
    metric: m.own('ServerErrors'),
    threshold: 4,
    periods: [2, 5],
    stops: 'all releases',
  },
  {
    id: 'api-latency',
    runbook: 'api-latency',
    what: `The slowest 1 % of requests take longer than ${latencyMax / 1_000} s`,
    metric: m.own('Latency', { statistic: 'p99' }),
    threshold: latencyMax,
    periods: [4, 5],
    stops: 'all releases',
  },
  {
    id: 'api-throttles',
    runbook: 'api-throttles',
    what: 'API Gateway throttles requests, more than ten a minute',
    metric: m.own('GatewayThrottles'),
    threshold: 10,
    periods: [3, 5],
  },
  {
    id: 'lambda-throttles',
    runbook: 'lambda-throttles',
    what: 'Lambda throttles invocations in this account and region',
    metric: m.lambdaThrottles,
    threshold: 0,
    periods: [3, 5],
  },
  {
    id: 'authorizer-errors',
    runbook: 'authorizer-errors',
    what: 'The authorizer fails, so callers get a 500 whatever they send',
    metric: m.authorizerErrors,
    threshold: 2,
    periods: [2, 5],
    stops: 'all releases',
  },
];

/** Queues redeliver what failed, so a few errors are none. A timer has no second try. */
const workerAlarms = (m: Measurements): readonly AlarmSpec[] =>
  entries
    .filter(({ id }) => id.startsWith('workers.'))
    .map(({ id }): AlarmSpec => {
      const name = id.replace('workers.', '');
      const isTimer = timers.some(({ worker }) => worker === name);
      return {
        id: `worker-errors-${name}`,
        runbook: 'worker-errors',
        what: `Invocations of the worker ${name} fail`,
        metric: m.ofLambda('Errors', id, 5),
        threshold: isTimer ? 0 : 2,
        periods: [1, 1],
        stops: `release of ${id}`,
      };
    });

const queueAlarms = (m: Measurements, queue: QueueName): readonly AlarmSpec[] => [
  {
    id: `dead-letters-${queue}`,
    runbook: `dead-letters-${queue}`,
    what: `Messages of the queue ${queue} stay in its dead-letter queue`,
    metric: m.deadLetters(queue),
    threshold: 0,
    periods: [2, 2],
  },
  {
    id: `oldest-message-${queue}`,
    runbook: 'oldest-message',
    what: `A message has waited in the queue ${queue} for more than ${oldestMinutes[queue]} minutes`,
    metric: m.oldestMessage(queue),
    threshold: oldestMinutes[queue] * 60,
    periods: [2, 2],
  },
];
