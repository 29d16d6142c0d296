import { RemovalPolicy, Stack, Validations } from 'aws-cdk-lib';
import { CfnAccount } from 'aws-cdk-lib/aws-apigateway';
import { ManagedPolicy, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import { regionStackName } from './conventions/names.ts';

const policy = 'service-role/AmazonAPIGatewayPushToCloudWatchLogs';

/**
 * What an account has once in a region, for every deployment in it: the role by which API Gateway writes logs. It stays
 * when the stack is deleted, since APIs of others may need it.
 */
export class RegionStack extends Stack {
  constructor(scope: Construct) {
    super(scope, regionStackName);
    const role = new Role(this, 'logs', {
      assumedBy: new ServicePrincipal('apigateway.amazonaws.com'),
      description: 'Lets API Gateway write logs',
      managedPolicies: [ManagedPolicy.fromAwsManagedPolicyName(policy)],
    });
    Validations.of(role).acknowledge({
      id: `AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/${policy}]`,
      reason: 'AWS’s managed policy for API Gateway’s logs.',
    });
    const account = new CfnAccount(this, 'account', { cloudWatchRoleArn: role.roleArn });
    for (const kept of [role, account]) kept.applyRemovalPolicy(RemovalPolicy.RETAIN);
  }
}
