import { readFileSync } from 'node:fs';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { beforeAll, expect, test } from 'vitest';
import { workers } from '../../../functions/workers/index.ts';
import { parseSettings } from '../../../infra/aws/conventions/settings.ts';
import { queues } from '../../../infra/resources.ts';
import { environmentStack, synthesise } from './synthesise.ts';

const monitoringOf = (...parameters: Parameters<typeof environmentStack>) => {
  const { monitoring } = environmentStack(...parameters);
  return monitoring && Template.fromStack(monitoring);
};

let service: Template;
let prod: Template;
let alarms: Map<string, { AlarmDescription: string; [property: string]: unknown }>;
beforeAll(() => {
  const stack = environmentStack('prod', { alarmEmail: 'ops@example.com', canary: 'false' });
  service = synthesise('prod', { alarmEmail: 'ops@example.com', canary: 'false' });
  if (!stack.monitoring) throw new Error('There are no alarms');
  prod = Template.fromStack(stack.monitoring);
  alarms = new Map(
    Object.values(prod.findResources('AWS::CloudWatch::Alarm')).map(({ Properties }) => [
      Properties.AlarmName.replace('agent-flow-prod-', ''),
      Properties,
    ]),
  );
}, 60_000);

test('each alarm names one entry of the runbook, and each entry belongs to an alarm', () => {
  const headings = [...readFileSync('docs/runbook.md', 'utf8').matchAll(/^### (\S+)$/gm)].map(([, id]) => id);
  const named = [...alarms.values()].map(({ AlarmDescription }) => AlarmDescription.split('#')[1]);
  expect(headings).toEqual([...new Set(headings)]);
  expect(new Set(named)).toEqual(new Set(headings));
});

test('each entry of the runbook says what the alarm means, how to see it and what to do', () => {
  const [, ...entries] = readFileSync('docs/runbook.md', 'utf8').split(/^### /m);
  for (const entry of entries)
    expect(entry).toMatch(/\*\*Meaning\.\*\*[\s\S]*\*\*See it\.\*\*[\s\S]*\*\*Do\.\*\*/);
});

test('each queue has an alarm on its oldest message and one on its dead letters', () => {
  for (const queue of Object.keys(queues)) {
    const metrics = ['oldest-message', 'dead-letters'].map((id) => alarms.get(`${id}-${queue}`)?.MetricName);
    expect(metrics).toEqual(['ApproximateAgeOfOldestMessage', 'ApproximateNumberOfMessagesVisible']);
  }
});

test('each worker has an alarm on the errors of its Lambda', () => {
  for (const worker of Object.keys(workers)) {
    expect(alarms.get(`worker-errors-${worker}`)).toMatchObject({
      Namespace: 'AWS/Lambda',
      MetricName: 'Errors',
      Dimensions: [{ Name: 'FunctionName', Value: `agent-flow-prod-workers_${worker}` }],
    });
  }
});

test('the alarms on requests, the table, timers and costs exist, and all together are at most 58', () => {
  expect([...alarms.keys()]).toEqual(
    expect.arrayContaining([
      'api-errors',
      'endpoint-errors',
      'api-latency',
      'api-throttles',
      'lambda-throttles',
      'authorizer-errors',
      'table-throttles',
      'table-errors',
      'scheduler-errors',
      'scheduler-dropped',
      'schedules-errors',
      'model-cost',
    ]),
  );
  expect(alarms.size).toBeLessThanOrEqual(58);
});

test('every alarm notifies the topic when it sounds and when it ends, and errors that nobody had are no alarm', () => {
  const [topic] = Object.keys(prod.findResources('AWS::SNS::Topic'));
  for (const alarm of alarms.values()) {
    expect(alarm).toMatchObject({
      AlarmActions: [{ Ref: topic }],
      OKActions: [{ Ref: topic }],
      TreatMissingData: 'notBreaching',
    });
  }
});

test('the topic accepts only encrypted connections and the alarms of this account', () => {
  prod.hasResourceProperties('AWS::SNS::Subscription', { Protocol: 'email', Endpoint: 'ops@example.com' });
  prod.hasResourceProperties('AWS::SNS::TopicPolicy', {
    PolicyDocument: {
      Statement: Match.arrayWith([
        Match.objectLike({ Effect: 'Deny', Condition: { Bool: { 'aws:SecureTransport': 'false' } } }),
        Match.objectLike({
          Principal: { Service: 'cloudwatch.amazonaws.com' },
          Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
        }),
      ]),
    },
  });
});

test('a given topic replaces the topic of the stack, unless there is an email address too', () => {
  const alarmTopicArn = 'arn:aws:sns:us-east-1:123456789012:ops';
  const given = monitoringOf('staging', { alarmTopicArn });
  given?.resourceCountIs('AWS::SNS::Topic', 0);
  given?.allResourcesProperties('AWS::CloudWatch::Alarm', { AlarmActions: [alarmTopicArn] });
  const both = monitoringOf('staging', { alarmTopicArn, alarmEmail: 'ops@example.com' });
  both?.allResourcesProperties('AWS::CloudWatch::Alarm', { AlarmActions: [alarmTopicArn, Match.anyValue()] });
});

test('staging and prod have alarms, dev has them only by the context value', () => {
  expect(monitoringOf('dev')).toBeUndefined();
  expect(monitoringOf('dev', { alarms: 'true' })).toBeDefined();
  expect(monitoringOf('staging')).toBeDefined();
  expect(() => parseSettings({ env: 'prod', alarms: 'false' })).toThrow('canary: rolls back on alarms');
});

test('the threshold of the cost and the address of the runbook are context values', () => {
  const context = { alarmCostPerHourUsd: '75', runbookUrl: 'https://wiki.example.com/runbook' };
  monitoringOf('staging', context)?.hasResourceProperties('AWS::CloudWatch::Alarm', {
    AlarmName: 'agent-flow-staging-model-cost',
    Threshold: 75,
    AlarmDescription: Match.stringLikeRegexp('Runbook: https://wiki.example.com/runbook#model-cost$'),
  });
});

test('the dashboard shows the alarms and a row each for traffic, latency, errors, queues, table and business', () => {
  const [dashboard] = Object.values(prod.findResources('AWS::CloudWatch::Dashboard'));
  const body = JSON.stringify(dashboard?.Properties.DashboardBody);
  for (const row of ['Traffic', 'Latency', 'Errors', 'Queues', 'Table', 'Business']) {
    expect(body).toContain(`## ${row}`);
  }
  const [, first] = /\\"type\\":\\"(\w+)\\"/.exec(body) ?? [];
  expect(first).toBe('alarm');
  // CloudWatch’s limit for one dashboard is 2,500 metrics, 500 a graph.
  expect(body.match(/\\"AWS\/|\\"agent-flow\/prod/g)?.length).toBeLessThan(500);
});

test('the metrics of the service and of API Gateway are watched under the names that they have', () => {
  const lambda = Object.values(service.findResources('AWS::Lambda::Function')).find(
    ({ Properties }) => Properties.FunctionName === 'agent-flow-prod-flows_get',
  );
  const { METRICS_NAMESPACE } = lambda?.Properties.Environment.Variables ?? {};
  expect(alarms.get('endpoint-errors')).toMatchObject({ Namespace: METRICS_NAMESPACE });
  const [api] = Object.values(service.findResources('AWS::ApiGateway::RestApi'));
  expect(api?.Properties.Name).toBe(api?.Properties.Body.info.title);
  expect(JSON.stringify(alarms.get('api-errors'))).toContain(
    JSON.stringify([
      { Name: 'ApiName', Value: api?.Properties.Name },
      { Name: 'Stage', Value: 'prod' },
    ]),
  );
});

test('the access log states caller, route, latencies and errors, and what the gateway throttled becomes a metric', () => {
  const [stage] = Object.values(service.findResources('AWS::ApiGateway::Stage'));
  expect(JSON.parse(stage?.Properties.AccessLogSetting.Format)).toMatchObject({
    requestId: '$context.requestId',
    extendedRequestId: '$context.extendedRequestId',
    route: '$context.resourcePath',
    status: '$context.status',
    latencyMs: '$context.responseLatency',
    integrationLatencyMs: '$context.integrationLatency',
    integrationError: '$context.integration.error',
    authorizerError: '$context.authorizer.error',
    userAgent: '$context.identity.userAgent',
    tenant: '$context.authorizer.tenant',
    kind: '$context.authorizer.kind',
    user: '$context.authorizer.principalId',
    waf: '$context.wafResponseCode',
  });
  prod.hasResourceProperties('AWS::Logs::MetricFilter', {
    FilterPattern: '{ $.responseType = "THROTTLED" }',
    MetricTransformations: [{ MetricNamespace: 'agent-flow/prod', MetricName: 'GatewayThrottles' }],
  });
});
