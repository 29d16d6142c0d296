import { type CfnStack, NestedStack, type Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { tableSchema } from '../../../infra/resources.ts';
import { operatorAccount } from '../../support/stack/operator-account.ts';
import { stack } from '../../support/stack/stack.ts';
import { environmentStack } from '../aws/synthesise.ts';

export type Answers = NonNullable<Parameters<typeof operatorAccount>[0]['answers']>;

/** The resources of dev's templates, each with its logical id as the physical one, and queues by URL. */
export function deployedResources() {
  const service = environmentStack('dev');
  const nested = service.node.findAll().filter((each) => each instanceof NestedStack);
  const idOf = (each: NestedStack) => service.getLogicalId(each.nestedStackResource as CfnStack);
  return [
    ...resourcesIn('AgentFlowService-dev', service),
    ...nested.flatMap((each) => resourcesIn(idOf(each), each)),
  ];
}

function resourcesIn(stack: string, of: Stack) {
  const { Resources } = Template.fromStack(of).toJSON() as { Resources: Record<string, { Type: string }> };
  return Object.entries(Resources).map(([name, { Type: type }]) => ({
    stack,
    type,
    name,
    id: type === 'AWS::SQS::Queue' ? `https://sqs.us-east-1.amazonaws.com/123456789012/${name}` : name,
  }));
}

/** An account whose deployment dev has nothing to complain of, in front of the embedded stack, but for `changes`. */
export const deployedAccount = (
  resources: ReturnType<typeof deployedResources>,
  changes: Answers = {},
  { status, url = stack().url }: { status?: string; url?: string } = {},
) =>
  operatorAccount({
    outputs: { Url: url, TableName: 'agent-flow-service', PayloadBucket: 'payloads' },
    resources,
    ...(status && { status }),
    answers: { ...healthy(resources), ...changes },
  });

const identities = '/v2/email/identities/';
const mappings = '/2015-03-31/event-source-mappings/';

const healthy = (resources: ReturnType<typeof deployedResources>): Answers => ({
  DescribeTable: () => [
    200,
    {
      Table: {
        TableStatus: 'ACTIVE',
        ItemCount: 3,
        DeletionProtectionEnabled: false,
        GlobalSecondaryIndexes: tableSchema.indexes.map(({ name }) => ({ IndexName: name })),
      },
    },
  ],
  DescribeContinuousBackups: () => backups('ENABLED'),
  DescribeTimeToLive: () => [
    200,
    { TimeToLiveDescription: { TimeToLiveStatus: 'ENABLED', AttributeName: 'ttl' } },
  ],
  '/ListIndexes': () => [200, { indexes: [{ indexName: 'memory-1' }] }],
  '/GetIndex': () => [200, { index: { indexMode: 'ENHANCED' } }],
  DescribeKey: () => keyState('Enabled'),
  GetSecretValue: () => secretResponse('{"OPENAI_API_KEY":"sk-value-of-the-key"}'),
  GetQueueAttributes: () => depth(0),
  GetMetricData: () => [200, { MetricDataResults: [] }],
  DescribeAlarms: () => [200, { MetricAlarms: [], CompositeAlarms: [] }],
  '/2016-08-19/account-settings': () => accountSettings(1_000),
  [`${identities}example.com`]: () => [200, { VerifiedForSendingStatus: true }],
  '/v2/email/account': () => [
    200,
    { ProductionAccessEnabled: true, SendQuota: { Max24HourSend: 50_000, SentLast24Hours: 12 } },
  ],
  ...Object.fromEntries(
    resources
      .filter(({ type }) => type === 'AWS::Lambda::EventSourceMapping')
      .map(({ id }) => [mappings + id, () => mapping(id, 'Enabled')]),
  ),
});

export const backups = (status: string): readonly [number, object] => [
  200,
  {
    ContinuousBackupsDescription: {
      ContinuousBackupsStatus: 'ENABLED',
      PointInTimeRecoveryDescription: { PointInTimeRecoveryStatus: status },
    },
  },
];
export const keyState = (KeyState: string): readonly [number, object] => [
  200,
  { KeyMetadata: { KeyId: 'key', KeyState } },
];
export const secretResponse = (SecretString: string): readonly [number, object] => [200, { SecretString }];
export const depth = (messages: number): readonly [number, object] => [
  200,
  {
    Attributes: {
      ApproximateNumberOfMessages: String(messages),
      ApproximateNumberOfMessagesNotVisible: '0',
    },
  },
];
export const mapping = (UUID: string, State: string): readonly [number, object] => [
  200,
  {
    UUID,
    State,
    FunctionArn: 'arn:aws:lambda:us-east-1:123456789012:function:agent-flow-dev-workers_run-record',
  },
];
export const accountSettings = (concurrency: number, codeGb = 1): readonly [number, object] => [
  200,
  {
    AccountLimit: { ConcurrentExecutions: concurrency, TotalCodeSize: 75 * 2 ** 30 },
    AccountUsage: { FunctionCount: 120, TotalCodeSize: codeGb * 2 ** 30 },
  },
];
