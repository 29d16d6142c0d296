import { App } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { beforeAll, expect, test } from 'vitest';
import { RegionStack } from '../../../infra/aws/region-stack.ts';
import { grantsIn } from './grants-in.ts';
import { environmentStack, synthesise } from './synthesise.ts';

let prod: Template;
let dev: Template;
beforeAll(() => {
  prod = synthesise('prod');
  dev = synthesise('dev');
}, 60_000);

const resourcesOf = (template: Template): [string, CfnResource][] =>
  Object.entries(template.toJSON().Resources);

interface CfnResource {
  Type: string;
  Properties?: Record<string, unknown>;
  DeletionPolicy?: string;
  DependsOn?: string[];
}

/** The properties that name a resource in its account and region. */
const naming =
  /^(?:BucketName|TableName|QueueName|LogGroupName|UserPoolName|VectorBucketName|RoleName|.*?Name)$/;

test('nothing that outlives the stack has a fixed name, so a new deployment is never blocked by an old one', () => {
  const outliving = resourcesOf(prod).filter(
    ([, { DeletionPolicy = 'Delete' }]) => DeletionPolicy !== 'Delete',
  );
  expect(outliving.length).toBeGreaterThan(5);
  const named = outliving.flatMap(([id, { Properties = {} }]) =>
    Object.entries(Properties).flatMap(([name, value]) =>
      naming.test(name) && typeof value === 'string' ? [`${id}.${name}`] : [],
    ),
  );
  expect(named).toEqual([]);
});

test('a failed first deployment deletes what it created, except what deletion protection keeps', () => {
  const keptAfterFailure = resourcesOf(prod)
    .filter(([, { DeletionPolicy }]) => DeletionPolicy === 'Retain')
    .map(([, { Type }]) => Type);
  // The table and the user pool have deletion protection.
  expect(new Set(keptAfterFailure)).toEqual(
    new Set(['AWS::DynamoDB::GlobalTable', 'AWS::Cognito::UserPool']),
  );
});

test('the role by which API Gateway writes logs, of which a region has one, belongs to no deployment', () => {
  prod.resourceCountIs('AWS::ApiGateway::Account', 0);
  const region = Template.fromStack(new RegionStack(new App()));
  region.hasResource('AWS::ApiGateway::Account', { DeletionPolicy: 'Retain' });
  region.hasResource('AWS::IAM::Role', { DeletionPolicy: 'Retain' });
});

test('dev can be destroyed after use: buckets are emptied, then indexes and tenants’ secrets deleted', () => {
  for (const type of ['AWS::S3::Bucket', 'AWS::S3Vectors::VectorBucket', 'AWS::DynamoDB::GlobalTable'])
    dev.allResources(type, { DeletionPolicy: 'Delete' });
  dev.resourceCountIs('Custom::S3AutoDeleteObjects', 2);
  const teardown = resourcesOf(dev).find(([, { Type }]) => Type === 'Custom::Teardown')?.[0];
  const { Resources } = Template.fromStack(environmentStack('dev')).toJSON();
  const holders = Object.values<CfnResource>(Resources).filter(
    ({ Type, Properties }) =>
      Type === 'AWS::CloudFormation::Stack' ||
      (Type === 'AWS::IAM::Role' && String(Properties?.Description).startsWith('Lambdas of the group')),
  );
  expect(new Set(holders.map(({ Type }) => Type)).size).toBe(2);
  // CloudFormation deletes in reverse: no Lambda of the service runs any more during the teardown.
  for (const { DependsOn } of holders) expect(DependsOn).toContain(teardown);
  const asksForStatus = { Action: 'cloudformation:DescribeStacks', Resource: { Ref: 'AWS::StackId' } };
  dev.hasResourceProperties('AWS::IAM::Policy', {
    PolicyDocument: { Statement: Match.arrayWith([Match.objectLike(asksForStatus)]) },
  });
});

test('staging and prod refuse to be destroyed, and prod would keep its data', () => {
  const protectionOf = (env: 'dev' | 'staging' | 'prod') => {
    let isProtected: boolean | undefined;
    synthesise(env, {}, (stack) => {
      isProtected = stack.terminationProtection;
    });
    return isProtected;
  };
  expect([protectionOf('dev'), protectionOf('staging'), protectionOf('prod')]).toEqual([false, true, true]);
  prod.resourceCountIs('Custom::Teardown', 0);
  prod.resourceCountIs('Custom::S3AutoDeleteObjects', 0);
});

test('overwritten and deleted objects can be recovered as long as the table', () => {
  prod.allResourcesProperties('AWS::S3::Bucket', {
    VersioningConfiguration: { Status: 'Enabled' },
    LifecycleConfiguration: {
      Rules: Match.arrayWith([
        Match.objectLike({
          AbortIncompleteMultipartUpload: { DaysAfterInitiation: 1 },
          NoncurrentVersionExpiration: { NoncurrentDays: 35 },
        }),
      ]),
    },
  });
});

test('a restored table and bucket replace the stack’s own', () => {
  const existing = { tableName: 'restored-2026-11-22', payloadBucket: 'kept-payloads' };
  const stack = environmentStack('prod', existing);
  const template = synthesise('prod', existing);
  template.resourceCountIs('AWS::S3::Bucket', 1);
  template.resourceCountIs('AWS::DynamoDB::GlobalTable', 0);
  template.hasResourceProperties('AWS::Lambda::Function', {
    FunctionName: 'agent-flow-prod-workers_run-record',
    Environment: {
      Variables: Match.objectLike({ TABLE_NAME: 'restored-2026-11-22', PAYLOAD_BUCKET: 'kept-payloads' }),
    },
  });
  const policies = JSON.stringify(grantsIn(template));
  expect(policies).toContain(':table/restored-2026-11-22/index/GSI1');
  expect(policies).toContain(':s3:::kept-payloads/*');
  const scans = grantsIn(template).filter(({ actions }) => actions.includes('dynamodb:Scan'));
  expect(scans.map(({ resources }) => resources)).toEqual([
    [expect.stringMatching(/:table\/restored-2026-11-22$/)],
  ]);
  if (!stack.monitoring) throw new Error('There are no alarms');
  const watched = JSON.stringify(
    Template.fromStack(stack.monitoring).findResources('AWS::CloudWatch::Alarm'),
  );
  expect(watched).toContain('{"Name":"TableName","Value":"restored-2026-11-22"}');
  template.hasOutput('TableName', { Value: 'restored-2026-11-22' });
});

test('the log that API Gateway writes belongs to the stack and expires', () => {
  dev.hasResourceProperties('AWS::Logs::LogGroup', {
    LogGroupName: { 'Fn::Join': ['', Match.arrayWith(['API-Gateway-Execution-Logs_', '/dev'])] },
    RetentionInDays: 14,
  });
  dev.allResourcesProperties('AWS::Logs::LogGroup', { RetentionInDays: Match.anyValue() });
});

test('the URL has no trailing slash, and Lambdas know it', () => {
  expect(JSON.stringify(dev.findOutputs('*'))).not.toMatch(/\/"\]\]/);
  const { Value } = dev.findOutputs('Url').Url ?? {};
  expect(Value['Fn::Join'][1].at(-1)).toMatch(/\/dev$/);
  const [create] = Object.values(
    dev.findResources('AWS::Lambda::Function', {
      Properties: { FunctionName: 'agent-flow-dev-flows_create' },
    }),
  );
  expect(create?.Properties.Environment.Variables.PUBLIC_URL).toEqual(Value);
});

test('routes go live after their Lambdas', () => {
  const service = Template.fromStack(environmentStack('dev'));
  const [deployment] = Object.values(service.findResources('AWS::ApiGateway::Deployment'));
  const ofNoGroup = Object.keys(
    service.findResources('AWS::Lambda::Function', {
      Properties: { FunctionName: Match.stringLikeRegexp('^agent-flow-dev-') },
    }),
  );
  const stacks = Object.keys(service.findResources('AWS::CloudFormation::Stack'));
  expect([ofNoGroup.length, stacks.length > 30]).toEqual([3, true]);
  expect(deployment?.DependsOn).toEqual(expect.arrayContaining([...ofNoGroup, ...stacks]));
});

test('services act only for this account', () => {
  const trusts = [...resourcesOf(prod), ...resourcesOf(dev)].flatMap(([, { Type, Properties }]) => {
    if (Type !== 'AWS::IAM::Role') return [];
    const { AssumeRolePolicyDocument } = Properties as { AssumeRolePolicyDocument: { Statement: Trust[] } };
    return AssumeRolePolicyDocument.Statement;
  });
  const guarded = trusts.filter(({ Condition }) => Condition);
  expect(new Set(guarded.map(({ Principal }) => Principal.Service))).toEqual(
    new Set(['codedeploy.amazonaws.com', 'scheduler.amazonaws.com']),
  );
  for (const { Condition } of guarded)
    expect(Condition).toEqual({ StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } });
});

// It sends no aws:SourceAccount when it assumes the role of an integration: each request would fail with a 500.
test('API Gateway assumes its roles without a condition', () => {
  for (const template of [dev, prod, Template.fromStack(new RegionStack(new App()))]) {
    const trusts = Object.values(template.findResources('AWS::IAM::Role')).flatMap(
      ({ Properties }) => Properties.AssumeRolePolicyDocument.Statement as Trust[],
    );
    const ofGateway = trusts.filter(({ Principal }) => Principal.Service === 'apigateway.amazonaws.com');
    expect(ofGateway.map(({ Condition }) => Condition)).toEqual([undefined]);
  }
});

interface Trust {
  Principal: { Service: string };
  Condition?: object;
}
