import { Validations } from 'aws-cdk-lib';
import {
  GatewayVpcEndpointAwsService,
  IpAddresses,
  type IVpc,
  SecurityGroup,
  SubnetType,
  Vpc,
} from 'aws-cdk-lib/aws-ec2';
import { ManagedPolicy, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { CapacityProvider, type Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import type { EnvironmentName } from '../../environments.ts';
import { type QueueSpec, queues } from '../../resources.ts';
import { howBundlesRun } from '../conventions/own-functions.ts';

/**
 * A process on an instance: one virtual CPU, whose thread runs invocations side by side. The memory bounds how many: a run may
 * hold values of many MB (D294).
 */
export const managedEnvironment = { memoryMb: 4_096, gibPerVCpu: 4, invocations: 16 } as const;

const operatorPolicy = 'AWSLambdaManagedEC2ResourceOperator';

/**
 * EC2 instances that Lambda starts, patches and ends, in a network of their own: they accept no connections, and reach
 * the table and the buckets by gateway endpoints, and all else (queues, models, other servers) by a NAT gateway.
 */
export class ManagedInstances extends Construct {
  private readonly provider: CapacityProvider;

  constructor(scope: Construct, id: string, env: EnvironmentName) {
    super(scope, id);
    const vpc = makeNetwork(this);
    const operatorRole = new Role(this, 'operator', {
      assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
      description: 'Lets Lambda start the instances of workers',
      managedPolicies: [ManagedPolicy.fromAwsManagedPolicyName(operatorPolicy)],
    });
    Validations.of(operatorRole).acknowledge({
      id: `AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/${operatorPolicy}]`,
      reason: 'AWS keeps what its operator of instances needs in this policy.',
    });
    this.provider = new CapacityProvider(this, 'provider', {
      subnets: vpc.selectSubnets({ subnetType: SubnetType.PRIVATE_WITH_EGRESS }).subnets,
      securityGroups: [
        new SecurityGroup(this, 'outbound', { vpc, description: 'Instances of workers: outbound only' }),
      ],
      operatorRole,
      architectures: [howBundlesRun.architecture],
      maxVCpuCount: vCpusMax(env),
    });
  }

  /** Runs Lambdas on the instances. An ARN without a version then means `$LATEST.PUBLISHED`, which each deployment publishes. */
  run(lambdas: readonly LambdaFunction[]): void {
    for (const lambda of lambdas)
      this.provider.addFunction(lambda, {
        perExecutionEnvironmentMaxConcurrency: managedEnvironment.invocations,
        executionEnvironmentMemoryGiBPerVCpu: managedEnvironment.gibPerVCpu,
        publishToLatestPublished: true,
      });
  }
}

/** Typed by the interface, because the class of the CDK does not fit it under our `exactOptionalPropertyTypes`. */
function makeNetwork(scope: Construct): IVpc {
  const { DYNAMODB, S3 } = GatewayVpcEndpointAwsService;
  const vpc = new Vpc(scope, 'vpc', {
    ipAddresses: IpAddresses.cidr('10.0.0.0/16'),
    natGateways: 1,
    gatewayEndpoints: { table: { service: DYNAMODB }, buckets: { service: S3 } },
  });
  Validations.of(vpc).acknowledge({
    id: 'AwsSolutions-VPC7',
    reason: 'Nothing connects to the instances, and the log of a run has what it connects to.',
  });
  return vpc as IVpc;
}

/**
 * What bounds the bill: as many as all invocations of the queues need when they fill half of each environment, and as many
 * again while a deployment replaces them.
 */
function vCpusMax(env: EnvironmentName): number {
  const environments = Object.values<QueueSpec>(queues).map(({ waits, maxConcurrency }) =>
    waits ? Math.ceil((2 * maxConcurrency[env]) / managedEnvironment.invocations) : 0,
  );
  return 2 * environments.reduce((sum, count) => sum + count, 0);
}
