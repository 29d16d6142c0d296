import { createHash } from 'node:crypto';
import { ArnFormat, Lazy, NestedStack, Stack } from 'aws-cdk-lib';
import { CfnApplication, CfnDeploymentGroup } from 'aws-cdk-lib/aws-codedeploy';
import type { CfnRule } from 'aws-cdk-lib/aws-events';
import type { Role } from 'aws-cdk-lib/aws-iam';
import {
  CfnAlias,
  CfnEventSourceMapping,
  type CfnFunction,
  CfnPermission,
  CfnVersion,
  type Function as LambdaFunction,
} from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { timers } from '../resources.ts';
import { type Entry, entries, preTokenGeneration } from './entries.ts';
import type { Functions } from './functions.ts';
import { acknowledgeWildcard, allow } from './grants.ts';
import type { Monitoring } from './monitoring/monitoring.ts';
import { functionNamePrefix, liveAlias } from './names.ts';
import { roleFor } from './service-trust.ts';
import type { Settings } from './settings.ts';

/** A tenth of the traffic for five minutes, then all. */
const deploymentConfig = 'CodeDeployDefault.LambdaCanary10Percent5Minutes';

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
 * alias, another could not create it.
 */
export class Releases extends Construct {
  constructor(scope: Construct, id: string, { settings, functions, monitoring }: ReleasesProps) {
    super(scope, id);
    const application = new CfnApplication(this, 'application', { computePlatform: 'Lambda' });
    const role = this.makeRole(settings);
    const released = entries.filter(({ id }) => id !== preTokenGeneration);
    for (const [group, some] of Map.groupBy(released, (entry) => entry.group)) {
      const stack = new NestedStack(this, group, { description: `Releases of the group ${group}` });
      stack.node.addDependency(monitoring, role);
      for (const entry of some) {
        addRelease(stack, entry, {
          lambda: functions.byId[entry.id] as LambdaFunction,
          ...{ applicationName: application.ref, serviceRoleArn: role.roleArn },
          alarms: monitoring.alarmsThatStop(entry.id),
        });
      }
    }
    sendToAliases(functions, this);
  }

  private makeRole(settings: Settings): Role {
    const role = roleFor(this, 'role', 'codedeploy.amazonaws.com', 'Lets CodeDeploy move aliases of Lambdas');
    const resourceName = `${functionNamePrefix(settings.env)}*`;
    const arnFormat = ArnFormat.COLON_RESOURCE_NAME;
    const lambdas = Stack.of(this).formatArn({
      service: 'lambda',
      resource: 'function',
      ...{ resourceName, arnFormat },
    });
    const actions = ['GetAlias', 'UpdateAlias', 'GetProvisionedConcurrencyConfig'];
    allow(
      role,
      actions.map((action) => `lambda:${action}`),
      [lambdas],
    );
    allow(role, ['cloudwatch:DescribeAlarms'], ['*']);
    const shown = `arn:<AWS::Partition>:lambda:<AWS::Region>:<AWS::AccountId>:function:${resourceName}`;
    acknowledgeWildcard(role, shown, 'The prefix belongs to this deployment.');
    acknowledgeWildcard(role, '*', 'The action supports no resources.');
    return role;
  }
}

interface Release {
  lambda: LambdaFunction;
  applicationName: string;
  serviceRoleArn: string;
  alarms: readonly string[];
}

function addRelease(stack: Stack, { id }: Entry, { lambda, alarms, ...owner }: Release): void {
  const { functionName } = lambda;
  const version = new CfnVersion(stack, `${id}-version`, { functionName });
  const name = `version${id.replace(/\W/g, '')}`;
  version.overrideLogicalId(Lazy.string({ produce: () => name + hashOf(lambda) }));
  const deploymentGroup = new CfnDeploymentGroup(stack, `${id}-group`, {
    ...owner,
    deploymentConfigName: deploymentConfig,
    deploymentStyle: { deploymentType: 'BLUE_GREEN', deploymentOption: 'WITH_TRAFFIC_CONTROL' },
    alarmConfiguration: { enabled: true, alarms: alarms.map((name) => ({ name })) },
    autoRollbackConfiguration: {
      enabled: true,
      events: ['DEPLOYMENT_FAILURE', 'DEPLOYMENT_STOP_ON_ALARM', 'DEPLOYMENT_STOP_ON_REQUEST'],
    },
  });
  const functionVersion = version.attrVersion;
  const alias = new CfnAlias(stack, `${id}-alias`, { functionName, functionVersion, name: liveAlias });
  alias.node.addDependency(deploymentGroup);
  alias.cfnOptions.updatePolicy = {
    codeDeployLambdaAliasUpdate: {
      applicationName: owner.applicationName,
      deploymentGroupName: deploymentGroup.ref,
    },
  };
}

/** What a version holds. */
const heldByVersion = [
  ...([
    'code',
    'environment',
    'handler',
    'runtime',
    'architectures',
    'memorySize',
    'timeout',
    'role',
  ] as const),
  ...(['tracingConfig', 'loggingConfig'] as const),
] satisfies (keyof CfnFunction)[];

/** Changes with what a version holds, and with nothing else: Lambda refuses a version that equals the last. */
function hashOf(lambda: LambdaFunction): string {
  const resource = lambda.node.defaultChild as CfnFunction;
  const held = heldByVersion.map((name) => resource[name]);
  const text = JSON.stringify(Stack.of(lambda).resolve(held));
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

/** Queues and timers invoke the aliases, once these exist. */
function sendToAliases({ node, byId }: Functions, releases: Releases): void {
  const aliasOf = (id: string) => `${byId[id]?.functionArn}:${liveAlias}`;
  for (const [id, lambda] of Object.entries(byId)) {
    for (const part of lambda.node.findAll()) {
      if (!(part instanceof CfnEventSourceMapping)) continue;
      part.functionName = aliasOf(id);
      part.node.addDependency(releases);
    }
  }
  for (const { worker } of timers) {
    const rule = node.findChild(`${worker}-timer`).node.defaultChild as CfnRule;
    rule.addPropertyOverride('Targets.0.Arn', aliasOf(`workers.${worker}`));
    rule.node.addDependency(releases);
  }
  for (const part of node.findAll()) {
    if (!(part instanceof CfnPermission) || part.principal !== 'events.amazonaws.com') continue;
    part.functionName = `${part.functionName}:${liveAlias}`;
    part.node.addDependency(releases);
  }
}
