import { createHash } from 'node:crypto';
import { Lazy, Stack } from 'aws-cdk-lib';
import { CfnDeploymentGroup } from 'aws-cdk-lib/aws-codedeploy';
import {
  CfnAlias,
  type CfnFunction,
  CfnVersion,
  type Function as LambdaFunction,
} from 'aws-cdk-lib/aws-lambda';
import type { LambdaEntry } from '../conventions/entries.ts';
import { liveAlias } from '../conventions/names.ts';

/** A tenth of the traffic for five minutes, then all. */
const deploymentConfig = 'CodeDeployDefault.LambdaCanary10Percent5Minutes';

interface Release {
  lambda: LambdaFunction;
  applicationName: string;
  serviceRoleArn: string;
  alarms: readonly string[];
}

/** Adds the version of a Lambda, its alias, and how CodeDeploy moves the alias. */
export function addRelease(
  stack: Stack,
  { id }: LambdaEntry,
  { lambda, alarms, ...owner }: Release,
): CfnAlias {
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
  return alias;
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
