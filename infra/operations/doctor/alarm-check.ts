import { CloudWatchClient, paginateDescribeAlarms } from '@aws-sdk/client-cloudwatch';
import { functionNamePrefix } from '../../aws/conventions/names.ts';
import { type CheckFinding, type DoctorCheck, ok, problem } from './check.ts';
import type { Subject } from './deployment-checks.ts';

export const alarmCheck: DoctorCheck<Subject> = { id: 'alarms', what: 'Alarms', run: alarms };

/** The description of an alarm names its entry in the runbook. */
async function alarms({ deployment, settings }: Subject): Promise<CheckFinding> {
  const client = new CloudWatchClient({});
  const sounding: string[] = [];
  let count = 0;
  const AlarmNamePrefix = functionNamePrefix(deployment.env);
  for await (const { MetricAlarms = [] } of paginateDescribeAlarms({ client }, { AlarmNamePrefix })) {
    count += MetricAlarms.length;
    for (const { StateValue, AlarmDescription = '' } of MetricAlarms)
      if (StateValue === 'ALARM') sounding.push(AlarmDescription);
  }
  if (sounding.length > 0) return problem(`${sounding.length} of ${count} sound`, sounding.join(' '));
  if (count > 0) return ok(`${count}, none sounds`);
  return settings.alarms
    ? problem('The deployment has none', `Deploy again: npx cdk deploy --all -c env=${deployment.env}.`)
    : ok('None in this environment (-c alarms=true adds them)');
}
