import { ArnFormat, Stack } from 'aws-cdk-lib';
import type { Role } from 'aws-cdk-lib/aws-iam';
import { Architecture, Runtime } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import type { EnvironmentName } from '../../environments.ts';
import { functionNamePrefix } from './names.ts';
import { acknowledgeWildcard, allowActions } from './statements.ts';

/** How every bundle runs. */
export const howBundlesRun = {
  handler: 'index.handler',
  runtime: Runtime.NODEJS_24_X,
  architecture: Architecture.ARM_64,
};

/** The ARN of a function of this account, or of its alias, by name. */
const functionArnOf = (scope: Construct, name: string): string =>
  Stack.of(scope).formatArn({
    service: 'lambda',
    resource: 'function',
    arnFormat: ArnFormat.COLON_RESOURCE_NAME,
    resourceName: name,
  });

/**
 * Allows actions on every function of the deployment, by one wildcard: a list of a hundred functions exceeds the size of
 * a policy.
 */
export function allowOnFunctions(role: Role, env: EnvironmentName, actions: readonly string[]): void {
  const names = `${functionNamePrefix(env)}*`;
  allowActions(role, actions, [functionArnOf(role, names)]);
  const shown = `arn:<AWS::Partition>:lambda:<AWS::Region>:<AWS::AccountId>:function:${names}`;
  acknowledgeWildcard(role, shown, 'The prefix belongs to this deployment.');
}
