import { App, RemovalPolicy, Stack, Validations } from 'aws-cdk-lib';
import { CfnAccount } from 'aws-cdk-lib/aws-apigateway';
import { ManagedPolicy, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { AwsSolutionsChecks } from 'cdk-nag';
import type { Construct } from 'constructs';
import { entries } from './conventions/entries.ts';
import { regionStackName, stackName } from './conventions/names.ts';
import { parseSettings } from './conventions/settings.ts';
import { buildBundles, teardownLambda } from './lambdas/bundles.ts';
import { ServiceStack } from './service-stack.ts';

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

const app = new App();
const settings = parseSettings(app.node.getAllContext());
Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
const service = new ServiceStack(app, stackName(settings.env), {
  settings,
  bundles: await buildBundles([...entries, teardownLambda], 'cdk.out/bundles'),
});
service.addStackDependency(new RegionStack(app));
app.synth();
