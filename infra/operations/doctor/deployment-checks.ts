import { CloudWatchClient, paginateDescribeAlarms } from '@aws-sdk/client-cloudwatch';
import { functionNamePrefix } from '../../aws/conventions/names.ts';
import type { Settings } from '../../aws/conventions/settings.ts';
import type { Deployment } from '../deployment/deployment.ts';
import { accountChecks } from './account-checks.ts';
import { apiChecks } from './api-checks.ts';
import { type CheckFinding, type DoctorCheck, ok, problem, warning } from './check.ts';
import { queueChecks } from './queue-checks.ts';
import type { StackResource } from './resources.ts';
import { storeChecks } from './store-checks.ts';

const alarmCheck: DoctorCheck<Subject> = { id: 'alarms', what: 'Alarms', run: alarms };

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

export interface Subject {
  deployment: Deployment;
  /** By the same context values as the deployment. */
  settings: Settings;
  /** Of the stack and its nested stacks. */
  resources: readonly StackResource[];
}

const stack: DoctorCheck<Subject> = {
  id: 'stack',
  what: 'Stack',
  run({ deployment: { status, env, region } }) {
    const shown = `${status} in ${region}`;
    if (status.endsWith('_IN_PROGRESS')) return warning(shown, 'Wait until the deployment ends.');
    if (['CREATE_COMPLETE', 'UPDATE_COMPLETE', 'IMPORT_COMPLETE'].includes(status)) return ok(shown);
    if (status === 'UPDATE_ROLLBACK_COMPLETE')
      return warning(
        `${shown}: the last deployment failed and was undone`,
        'See the events of the stack, repair the cause, deploy again.',
      );
    return problem(shown, `See the events of the stack, then npx cdk deploy --all -c env=${env}.`);
  },
};

/** What a deployment needs in order to work, and what shows that it does not. */
export const deploymentChecks: readonly DoctorCheck<Subject>[] = [
  stack,
  ...apiChecks,
  ...queueChecks,
  alarmCheck,
  ...storeChecks,
  ...accountChecks,
];
