import type { TemplateResource } from '../../infra/aws/sizes/whole-template.ts';
import type { EnvironmentName } from '../../infra/environments.ts';
import { timers } from '../../infra/resources.ts';
import { assumptions, priceOfMillionInvocations, priceOfMillionUnits, prices } from '../measure/prices.ts';
import { environmentResources, type StackResources } from './template.ts';

export interface IdleItem {
  what: string;
  count: number;
  /** In USD a month, for all. */
  usd: number;
}

export const hoursPerMonth = 730;
/**
 * Lambda keeps five long polls open per queue. It saves none of them at rest, because the event sources have a maximum
 * concurrency: https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-scaling.html
 */
export const polling = { pollers: 5, seconds: 20 } as const;
export const pollsPerQueueMonth = (polling.pollers * hoursPerMonth * 3_600) / polling.seconds;
/** Of one run that finds nothing to do: three lists of four partitions (docs/data-model.md). */
export const emptySweep = { queries: 12, readUnits: 6, cpuMs: 20 } as const;

/** What an environment costs in a month without a request, from its templates. */
export function idleItems(env: EnvironmentName): IdleItem[] {
  const resources = environmentResources(env);
  const all = Object.values(resources);
  const ofType = (type: string) => all.filter(({ Type }) => Type === type);
  const item = (what: string, count: number, price: number): IdleItem => ({
    what,
    count,
    usd: count * price,
  });
  const rules = ofType('AWS::WAFv2::WebACL').flatMap(({ Properties }) => Properties.Rules);
  const polls = pollsIn(resources);
  const runs = timers.map(({ everyMinutes }) => (hoursPerMonth * 60) / everyMinutes);
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
  return [
    {
      what: 'SQS requests of pollers (million)',
      count: sum(polls.map(({ million }) => million)),
      usd: sum(polls.map(({ usd }) => usd)),
    },
    item(
      'Metrics that alarms read',
      sum(ofType('AWS::CloudWatch::Alarm').map(metricsOf)),
      prices.cloudWatchAlarmMetricMonth,
    ),
    item('Dashboards', ofType('AWS::CloudWatch::Dashboard').length, prices.cloudWatchDashboardMonth),
    item('Web ACLs', ofType('AWS::WAFv2::WebACL').length, prices.wafAclMonth),
    item('Rules of web ACLs', rules.length, prices.wafRuleMonth),
    item('KMS keys', ofType('AWS::KMS::Key').length, prices.kmsKeyMonth),
    item('Secrets', ofType('AWS::SecretsManager::Secret').length, prices.secretMonth),
    item('Runs of timers', sum(runs), priceOfSweep),
    item('Traces of timers', sum(runs), priceOfTrace),
  ];
}

function pollsIn(resources: StackResources) {
  const sources = Object.values(resources).filter(({ Type }) => Type === 'AWS::Lambda::EventSourceMapping');
  return sources.map(({ Properties }) => {
    const [queue] = Properties.EventSourceArn['Fn::GetAtt'];
    const isFifo = resources[queue]?.Properties.FifoQueue === true;
    const million = pollsPerQueueMonth / 1_000_000;
    return { million, usd: million * (isFifo ? prices.sqsFifoMillionRequests : prices.sqsMillionRequests) };
  });
}

/** X-Ray traces one request a second, which a timer never exceeds. */
const priceOfTrace = prices.xRayMillionTraces / 1_000_000;

/** An alarm on an expression costs as much as the metrics in it. */
const metricsOf = ({ Properties }: TemplateResource): number =>
  Properties.Metrics?.filter(({ MetricStat }: { MetricStat?: object }) => MetricStat).length ?? 1;

const priceOfSweep =
  (priceOfMillionUnits({ writeUnits: 0, readUnits: emptySweep.readUnits }) +
    priceOfMillionInvocations({
      invocations: 1,
      cpuMs: emptySweep.cpuMs,
      waitMs: emptySweep.queries * assumptions.readMs,
      memoryMb: assumptions.memoryMb,
    })) /
  1_000_000;
