import { NestedStack } from 'aws-cdk-lib';
import { CfnApplication } from 'aws-cdk-lib/aws-codedeploy';
import type { Role } from 'aws-cdk-lib/aws-iam';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { entries, preTokenGeneration } from '../conventions/entries.ts';
import { allowOnFunctions } from '../conventions/own-functions.ts';
import { roleFor } from '../conventions/service-trust.ts';
import type { Settings } from '../conventions/settings.ts';
import { acknowledgeWildcard, allowActions } from '../conventions/statements.ts';
import type { Functions } from '../lambdas/functions.ts';
import type { Monitoring } from '../monitoring/monitoring.ts';
import { addRelease } from './release.ts';
import { sendToAliases } from './send-to-aliases.ts';
import { deploymentWaves } from './waves.ts';

interface ReleasesProps {
  settings: Settings;
  functions: Functions;
  /** Alarms stop a release, so they exist before it. */
  monitoring: Monitoring;
}

/**
 * Canary releases: each Lambda has an alias, to which API Gateway, queues and timers send. CodeDeploy moves the alias to
 * a new version in steps, and back when an alarm sounds. Each group is a nested stack, because three resources for each
 * Lambda exceed the limit of one stack. A Lambda must never change its nested stack: while one stack still holds the
 * alias, another could not create it. The stacks are updated in waves, because Lambda allows about 15 changes a second and
 * one that it throttles rolls back the whole deployment.
 */
export class Releases extends Construct {
  constructor(scope: Construct, id: string, { settings, functions, monitoring }: ReleasesProps) {
    super(scope, id);
    const application = new CfnApplication(this, 'application', { computePlatform: 'Lambda' });
    const role = this.makeRole(settings);
    const released = entries.filter(({ id }) => id !== preTokenGeneration);
    const owner = { applicationName: application.ref, serviceRoleArn: role.roleArn };
    let before: NestedStack[] = [];
    for (const wave of deploymentWaves(released)) {
      const stacks = wave.map(([group, some]) => {
        const stack = new NestedStack(this, group, { description: `Releases of the group ${group}` });
        stack.node.addDependency(monitoring, role, ...before);
        for (const entry of some) {
          const lambda = functions.byId[entry.id] as LambdaFunction;
          addRelease(stack, entry, { ...owner, lambda, alarms: monitoring.alarmsThatStop(entry.id) });
        }
        return stack;
      });
      before = stacks;
    }
    sendToAliases(functions, this);
  }

  private makeRole(settings: Settings): Role {
    const role = roleFor(this, 'role', 'codedeploy.amazonaws.com', 'Lets CodeDeploy move aliases of Lambdas');
    const actions = ['GetAlias', 'UpdateAlias', 'GetProvisionedConcurrencyConfig'];
    allowOnFunctions(
      role,
      settings.env,
      actions.map((action) => `lambda:${action}`),
    );
    allowActions(role, ['cloudwatch:DescribeAlarms'], ['*']);
    acknowledgeWildcard(role, '*', 'The action supports no resources.');
    return role;
  }
}
