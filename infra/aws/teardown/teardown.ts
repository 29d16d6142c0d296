import { CustomResource, Duration, Stack } from 'aws-cdk-lib';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Code, Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { logGroupFor } from '../conventions/log-groups.ts';
import { howBundlesRun } from '../conventions/own-functions.ts';
import type { Settings } from '../conventions/settings.ts';
import {
  acknowledgeWildcard,
  allowActions,
  allowSecrets,
  shownReference,
} from '../conventions/statements.ts';
import type { Stores } from '../stores/stores.ts';

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
    const logGroup = logGroupFor(this, 'log', settings);
    logGroup.grantWrite(role);
    allowTeardown(role, stores);
    const lambda = new LambdaFunction(this, 'function', {
      role,
      logGroup,
      code: Code.fromAsset(bundle),
      ...howBundlesRun,
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

  /**
   * What the Lambdas need or belong to is deleted first, and they before it. They could otherwise create secrets and indexes
   * during the teardown.
   */
  runAfterDeletionOf(parts: Iterable<Construct>): void {
    for (const part of parts) part.node.addDependency(this.resource);
  }
}

function allowTeardown(role: Role, { vectors, secretsPrefix }: Stores): void {
  const indexes = `${vectors.attrVectorBucketArn}/index/*`;
  allowActions(role, ['cloudformation:DescribeStacks'], [Stack.of(role).stackId]);
  allowActions(role, ['s3vectors:ListIndexes'], [vectors.attrVectorBucketArn]);
  allowActions(role, ['s3vectors:DeleteIndex'], [indexes]);
  acknowledgeWildcard(
    role,
    `${shownReference(role, vectors, 'VectorBucketArn')}/index/*`,
    'Every index is deleted with the stack.',
  );
  allowActions(role, ['secretsmanager:ListSecrets'], ['*']);
  acknowledgeWildcard(role, '*', 'ListSecrets supports no resources.');
  allowSecrets(role, ['DeleteSecret'], `${secretsPrefix}/*`, 'Every secret of the stack is deleted with it.');
}
