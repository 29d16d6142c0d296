import { Duration } from 'aws-cdk-lib';
import { type IMetric, MathExpression, Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { MetricName } from '../../../shared/core/metrics.ts';
import { type QueueName, tableSchema } from '../../resources.ts';
import { nameFunction } from '../conventions/managed-workers.ts';
import { apiName } from '../conventions/names.ts';
import type { Settings } from '../conventions/settings.ts';
import type { Stores } from '../stores/stores.ts';

export const metricsNamespace = ({ env }: Pick<Settings, 'env'>) => `agent-flow/${env}`;

/** Counts requests that API Gateway itself throttled, by a filter on the access log. */
export const gatewayThrottles = 'GatewayThrottles';

const operations = [
  'GetItem',
  'BatchGetItem',
  'Query',
  'PutItem',
  'UpdateItem',
  'DeleteItem',
  'BatchWriteItem',
  'TransactWriteItems',
];

export type Measurements = ReturnType<typeof createMeasurements>;

/** What alarms and the dashboard show: metrics of AWS, and those of the service (`shared/core/metrics.ts`). */
export function createMeasurements(settings: Settings, stores: Stores) {
  const api = { ApiName: apiName(settings.env), Stage: settings.env };
  const metric = (
    namespace: string,
    metricName: string,
    dimensionsMap: Record<string, string>,
    statistic: string = Stats.SUM,
    minutes = 1,
  ) => new Metric({ namespace, metricName, dimensionsMap, statistic, period: Duration.minutes(minutes) });
  const TableName = stores.table.tableName;
  const partsOfTable = [
    { TableName },
    ...tableSchema.indexes.map(({ name }) => ({ TableName, GlobalSecondaryIndexName: name })),
  ];
  const sum = (parts: readonly IMetric[], label: string, minutes: number) =>
    new MathExpression({
      expression: 'SUM(METRICS())',
      usingMetrics: Object.fromEntries(parts.map((part, index) => [`m${index}`, part])),
      label,
      period: Duration.minutes(minutes),
    });
  const math = (expression: string, usingMetrics: Record<string, IMetric>, label: string) =>
    new MathExpression({ expression, usingMetrics, label, period: Duration.minutes(1) });

  const createMetric = (
    name: MetricName | typeof gatewayThrottles,
    {
      by = {},
      statistic,
      minutes,
    }: { by?: Record<string, string>; statistic?: string; minutes?: number } = {},
  ) => metric(metricsNamespace(settings), name, by, statistic, minutes);
  const ofApi = (name: string, statistic?: string) => metric('AWS/ApiGateway', name, api, statistic);
  const ofLambda = (name: string, id: string, minutes?: number) =>
    metric('AWS/Lambda', name, { FunctionName: nameFunction(id, settings) }, Stats.SUM, minutes);
  const ofQueue = (queues: Stores['queues'], queue: QueueName, name: string, statistic: string) =>
    metric('AWS/SQS', name, { QueueName: queues[queue].queueName }, statistic, 5);

  return {
    own: createMetric,
    ofApi,
    ofLambda,
    /** In percent; 0 for fewer than five errors a minute, which are many percent of few requests. */
    apiErrorRate: math(
      'IF(errors >= 5, 100 * errors / requests, 0)',
      { errors: ofApi('5XXError'), requests: ofApi('Count') },
      'responses with 5xx in percent',
    ),
    /** Of the account and region: the quota of concurrent executions is theirs. */
    lambdaThrottles: metric('AWS/Lambda', 'Throttles', {}),
    authorizerErrors: math(
      'errors - FILL(refusals, 0)',
      { errors: ofLambda('Errors', 'authorizer'), refusals: createMetric('TemporaryRefusals') },
      'errors of the authorizer',
    ),
    deadLetters: (queue: QueueName) =>
      ofQueue(stores.deadLetters, queue, 'ApproximateNumberOfMessagesVisible', Stats.MAXIMUM),
    oldestMessage: (queue: QueueName) =>
      ofQueue(stores.queues, queue, 'ApproximateAgeOfOldestMessage', Stats.MAXIMUM),
    waitingMessages: (queue: QueueName) =>
      ofQueue(stores.queues, queue, 'ApproximateNumberOfMessagesVisible', Stats.MAXIMUM),
    tableThrottles: sum(
      partsOfTable.flatMap((part) => [
        metric('AWS/DynamoDB', 'ReadThrottleEvents', part),
        metric('AWS/DynamoDB', 'WriteThrottleEvents', part),
      ]),
      'throttled reads and writes',
      1,
    ),
    tableErrors: sum(
      operations.map((Operation) =>
        metric('AWS/DynamoDB', 'SystemErrors', { TableName, Operation }, Stats.SUM, 5),
      ),
      'system errors',
      5,
    ),
    tableUnits: (name: 'ConsumedReadCapacityUnits' | 'ConsumedWriteCapacityUnits') =>
      metric('AWS/DynamoDB', name, { TableName }),
    ofScheduler: (name: string, group: 'wakeSchedules' | 'schedules' = 'wakeSchedules') =>
      metric('AWS/Scheduler', name, { ScheduleGroup: stores[group].ref }, Stats.SUM, 5),
  };
}
