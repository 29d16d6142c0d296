import {
  type Alarm,
  AlarmStatusWidget,
  Dashboard,
  GraphWidget,
  type IMetric,
  Stats,
  TextWidget,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';
import { groups } from '../../../functions/index.ts';
import { callerClasses } from '../../../shared/core/metrics.ts';
import { type QueueName, queues } from '../../resources.ts';
import { entries } from '../conventions/entries.ts';
import { apiName } from '../conventions/names.ts';
import type { Settings } from '../conventions/settings.ts';
import type { Measurements } from './measurements.ts';

const queueNames = Object.keys(queues) as QueueName[];
const groupNames = Object.keys(groups);
const workers = entries.map(({ id }) => id).filter((id) => id.startsWith('workers.'));

type Row = readonly [title: string, ...graphs: (readonly [title: string, metrics: readonly IMetric[]])[]];

/** One dashboard: a row for each question that an operator asks first. */
export function addDashboard(scope: Construct, settings: Settings, m: Measurements, alarms: Alarm[]): void {
  const dashboard = new Dashboard(scope, 'dashboard', { dashboardName: apiName(settings.env) });
  dashboard.addWidgets(new AlarmStatusWidget({ title: 'Alarms', alarms, width: 24, height: 6 }));
  for (const [title, ...graphs] of [...requestRows(m), ...workRows(m)]) {
    dashboard.addWidgets(new TextWidget({ markdown: `## ${title}`, width: 24, height: 1 }));
    const width = Math.floor(24 / graphs.length);
    dashboard.addWidgets(
      ...graphs.map(([name, left]) => new GraphWidget({ title: name, left: [...left], width, height: 6 })),
    );
  }
}

const requestRows = (m: Measurements): readonly Row[] => [
  [
    'Traffic',
    ['Requests by caller', callerClasses.map((callerClass) => m.own('Requests', { by: { callerClass } }))],
    [
      'Responses by group',
      groupNames.map((group) => m.own('Latency', { by: { group }, statistic: Stats.SAMPLE_COUNT })),
    ],
    ['At the gateway', [m.ofApi('Count'), m.own('GatewayThrottles')]],
  ],
  [
    'Latency',
    ['All, in ms', ['p50', 'p95', 'p99'].map((statistic) => m.own('Latency', { statistic }))],
    ['p99 by group, in ms', groupNames.map((group) => m.own('Latency', { by: { group }, statistic: 'p99' }))],
    [
      'Of Lambda at the gateway, in ms',
      [m.ofApi('IntegrationLatency', 'p50'), m.ofApi('IntegrationLatency', 'p99')],
    ],
  ],
  [
    'Errors',
    ['5xx by group', groupNames.map((group) => m.own('ServerErrors', { by: { group } }))],
    ['4xx by caller', callerClasses.map((callerClass) => m.own('ClientErrors', { by: { callerClass } }))],
    ['At the gateway', [m.ofApi('4XXError'), m.ofApi('5XXError'), m.authorizerErrors]],
    ['Of workers', [...workers.map((id) => m.ofLambda('Errors', id)), m.lambdaThrottles]],
  ],
];

const workRows = (m: Measurements): readonly Row[] => [
  [
    'Queues',
    ['Waiting messages', queueNames.map(m.waitingMessages)],
    ['Oldest message, in s', queueNames.map(m.oldestMessage)],
    ['Dead letters', queueNames.map(m.deadLetters)],
    ['Timers', [m.ofScheduler('InvocationAttemptCount'), m.ofScheduler('TargetErrorCount')]],
  ],
  [
    'Table',
    ['Units', [m.tableUnits('ConsumedReadCapacityUnits'), m.tableUnits('ConsumedWriteCapacityUnits')]],
    ['Throttles', [m.tableThrottles]],
    ['System errors', [m.tableErrors]],
  ],
  [
    'Business',
    ['Runs', [m.own('RunsCompleted'), m.own('RunsFailed'), m.own('RunsSuspended')]],
    ['Steps', [m.own('StepsCompleted'), m.own('StepsFailed'), m.own('StepsSkipped')]],
    ['Tokens', [m.own('InputTokens'), m.own('OutputTokens')]],
    ['Cost in USD per hour', [m.own('ModelCost', { minutes: 60 })]],
    [
      'Batches',
      [m.own('BatchesStarted'), m.own('BatchesCompleted'), m.own('BatchesCancelled'), m.own('BatchesFailed')],
    ],
  ],
];
