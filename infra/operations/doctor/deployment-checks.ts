import type { Settings } from '../../aws/conventions/settings.ts';
import type { Deployment } from '../deployment/deployment.ts';
import { accountChecks } from './account-checks.ts';
import { alarmCheck } from './alarm-check.ts';
import { apiChecks } from './api-checks.ts';
import { type DoctorCheck, ok, problem, warning } from './check.ts';
import { queueChecks } from './queue-checks.ts';
import type { StackResource } from './resources.ts';
import { storeChecks } from './store-checks.ts';

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
