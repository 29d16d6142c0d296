import { NestedStack } from 'aws-cdk-lib';
import { Alarm, ComparisonOperator, type IMetric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { FilterPattern, type ILogGroup, MetricFilter } from 'aws-cdk-lib/aws-logs';
import { type ITopic, Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { Construct } from 'constructs';
import { functionNamePrefix } from '../conventions/names.ts';
import type { Settings } from '../conventions/settings.ts';
import type { Stores } from '../stores/stores.ts';
import { type AlarmSpec, listAlarms } from './alarm-list.ts';
import { addDashboard } from './dashboard.ts';
import { createMeasurements, gatewayThrottles, metricsNamespace } from './measurements.ts';

interface MonitoringProps {
  settings: Settings;
  stores: Stores;
  accessLog: ILogGroup;
}

/** Alarms, the topic that they notify, and the dashboard. A stack of its own, because the service's is large. */
export class Monitoring extends NestedStack {
  /** The names of the alarms that stop the release of a Lambda. */
  readonly alarmsThatStop: (lambda: string) => readonly string[];

  constructor(scope: Construct, id: string, { settings, stores, accessLog }: MonitoringProps) {
    super(scope, id, { description: `Alarms and dashboard of agent-flow-${settings.env}` });
    new MetricFilter(this, gatewayThrottles, {
      logGroup: accessLog,
      filterPattern: FilterPattern.stringValue('$.responseType', '=', 'THROTTLED'),
      metricNamespace: metricsNamespace(settings),
      metricName: gatewayThrottles,
      metricValue: '1',
    });
    const measurements = createMeasurements(settings, stores);
    const actions = this.topics(settings).map((topic) => new SnsAction(topic));
    const specs = listAlarms(measurements, settings);
    this.alarmsThatStop = (lambda) =>
      specs
        .filter(({ stops }) => stops === 'all releases' || stops === `release of ${lambda}`)
        .map((spec) => alarmNameOf(spec, settings));
    const alarms = specs.map((spec) => {
      const alarm = this.makeAlarm(spec, settings);
      alarm.addAlarmAction(...actions);
      alarm.addOkAction(...actions);
      return alarm;
    });
    addDashboard(this, settings, measurements, alarms);
  }

  private makeAlarm({ id, what, runbook, metric, threshold, periods }: AlarmSpec, settings: Settings): Alarm {
    const [datapointsToAlarm, evaluationPeriods] = periods;
    return new Alarm(this, id, {
      alarmName: alarmNameOf({ id }, settings),
      alarmDescription: `${what}. Runbook: ${settings.runbookUrl}#${runbook}`,
      metric: metric as IMetric,
      threshold,
      datapointsToAlarm,
      evaluationPeriods,
      comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
      // Errors that nobody had are not measured.
      treatMissingData: TreatMissingData.NOT_BREACHING,
    });
  }

  /** The operator's topic, and one of this stack for an email address, or to subscribe to later. */
  private topics({ alarmTopicArn, alarmEmail }: Settings): ITopic[] {
    const alarmTopics = alarmTopicArn ? [Topic.fromTopicArn(this, 'given-topic', alarmTopicArn)] : [];
    if (alarmTopics.length > 0 && !alarmEmail) return alarmTopics;
    const topic = new Topic(this, 'topic', { displayName: 'Alarms', enforceSSL: true });
    // With a policy of its own, a topic accepts only whom the policy names.
    topic.addToResourcePolicy(
      new PolicyStatement({
        principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
        actions: ['sns:Publish'],
        resources: [topic.topicArn],
        conditions: { StringEquals: { 'aws:SourceAccount': this.account } },
      }),
    );
    if (alarmEmail) topic.addSubscription(new EmailSubscription(alarmEmail));
    return [...alarmTopics, topic];
  }
}

const alarmNameOf = ({ id }: Pick<AlarmSpec, 'id'>, { env }: Settings) => functionNamePrefix(env) + id;
