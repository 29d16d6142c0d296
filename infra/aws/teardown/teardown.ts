import { CustomResource, Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Architecture, Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { LogGroup, type RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { acknowledgeWildcard, allow, allowSecrets } from '../grants.ts';
import type { Settings } from '../settings.ts';
import type { Stores } from '../stores.ts';

export interface TeardownProps {
  settings: Settings;
  stores: Stores;
  /** The folder of the bundled `handler.ts`. */
  bundle: string;
}

/** Lets `cdk destroy` delete a stack that was in use, if it does not keep its data. */
export class Teardown extends Construct {
  private readonly resource: CustomResource;

  constructor(scope: Construct, id: string, { settings, stores, bundle }: TeardownProps) {
    super(scope, id);
    const role = new Role(this, 'role', {
      assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
      description: 'Deletes secrets and vector indexes with the stack',
    });
    const logGroup = new LogGroup(this, 'log', {
      retention: settings.logRetentionDays as RetentionDays,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    logGroup.grantWrite(role);
    allowTeardown(role, stores);
    const lambda = new LambdaFunction(this, 'function', {
      ...{ role, logGroup },
      code: Code.fromAsset(bundle),
      handler: 'index.handler',
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      memorySize: 512,
      timeout: Duration.minutes(15),
      environment: { VECTOR_BUCKET: stores.vectorBucketName, SECRETS_PREFIX: stores.secretsPrefix },
    });
    this.resource = new CustomResource(this, 'resource', {
      serviceToken: lambda.functionArn,
      resourceType: 'Custom::Teardown',
    });
    this.resource.node.addDependency(role);
  }

  /** A Lambda is deleted before its role. It could otherwise create secrets and indexes during the teardown. */
  runAfterDeletionOf(roles: readonly Role[]): void {
    for (const role of roles) role.node.addDependency(this.resource);
  }
}

function allowTeardown(role: Role, { vectors, secretsPrefix }: Stores): void {
  const indexes = `${vectors.attrVectorBucketArn}/index/*`;
  allow(role, ['cloudformation:DescribeStacks'], [Stack.of(role).stackId]);
  allow(role, ['s3vectors:ListIndexes'], [vectors.attrVectorBucketArn]);
  allow(role, ['s3vectors:DeleteIndex'], [indexes]);
  const bucketId = Stack.of(role).getLogicalId(vectors);
  acknowledgeWildcard(
    role,
    `<${bucketId}.VectorBucketArn>/index/*`,
    'Every index is deleted with the stack.',
  );
  allow(role, ['secretsmanager:ListSecrets'], ['*']);
  acknowledgeWildcard(role, '*', 'ListSecrets supports no resources.');
  allowSecrets(role, ['DeleteSecret'], `${secretsPrefix}/*`, 'Every secret of the stack is deleted with it.');
}
