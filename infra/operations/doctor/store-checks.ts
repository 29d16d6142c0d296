import {
  DescribeContinuousBackupsCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  DynamoDBClient,
} from '@aws-sdk/client-dynamodb';
import { DescribeKeyCommand, KMSClient } from '@aws-sdk/client-kms';
import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { tableSchema } from '../../resources.ts';
import { classicIndexes, vectorBucketIn } from '../deployment/vector-indexes.ts';
import { type CheckFinding, type DoctorCheck, ok, problem, warning } from './check.ts';
import type { Subject } from './deployment-checks.ts';

export const storeChecks: readonly DoctorCheck<Subject>[] = [
  { id: 'table', what: 'Table', run: table },
  { id: 'vectors', what: 'Indexes of vectors', run: vectors },
  { id: 'key', what: 'KMS key of test keys', run: key },
  { id: 'provider-keys', what: 'Keys of model providers', run: providerKeys },
];

/** A restored table lacks most of this: DynamoDB restores the items and the indexes. */
async function table({ deployment: { tableName: TableName }, settings }: Subject): Promise<CheckFinding> {
  const client = new DynamoDBClient({});
  const [{ Table }, { ContinuousBackupsDescription }, { TimeToLiveDescription }] = await Promise.all([
    client.send(new DescribeTableCommand({ TableName })),
    client.send(new DescribeContinuousBackupsCommand({ TableName })),
    client.send(new DescribeTimeToLiveCommand({ TableName })),
  ]);
  const backups = ContinuousBackupsDescription?.PointInTimeRecoveryDescription?.PointInTimeRecoveryStatus;
  const indexes = new Set(Table?.GlobalSecondaryIndexes?.map(({ IndexName }) => IndexName));
  const { TimeToLiveStatus, AttributeName } = TimeToLiveDescription ?? {};
  const lacks = [
    Table?.TableStatus !== 'ACTIVE' && `its status is ${Table?.TableStatus}`,
    ...tableSchema.indexes.map(({ name }) => !indexes.has(name) && `no index ${name}`),
    backups !== 'ENABLED' && 'no point-in-time recovery',
    !(TimeToLiveStatus === 'ENABLED' && AttributeName === tableSchema.timeToLive) &&
      `no time to live by ${tableSchema.timeToLive}`,
    settings.keepsData && !Table?.DeletionProtectionEnabled && 'no deletion protection',
  ].filter(Boolean);
  return lacks.length === 0
    ? ok(`${TableName}, ${Table?.ItemCount ?? 0} items (counted every six hours)`)
    : problem(
        `${TableName}: ${lacks.join(', ')}`,
        'aws dynamodb update-continuous-backups, update-time-to-live, update-table --deletion-protection-enabled.',
      );
}

async function vectors({ deployment: { env }, resources }: Subject): Promise<CheckFinding> {
  const bucket = vectorBucketIn(resources);
  if (!bucket) return problem('The stack has no vector bucket', 'Deploy again.');
  const classic = await classicIndexes(bucket);
  return classic.length === 0
    ? ok('They apply filters before the search')
    : warning(
        `${classic.length} indexes apply filters during the search: memories of a profile may be missed`,
        `npm run migrate -- -c env=${env}`,
      );
}

async function key({ resources }: Subject): Promise<CheckFinding> {
  const KeyId = resources.find(({ type }) => type === 'AWS::KMS::Key')?.id;
  if (!KeyId) return problem('The stack has none', 'Deploy again.');
  const { KeyMetadata } = await new KMSClient({}).send(new DescribeKeyCommand({ KeyId }));
  const state = KeyMetadata?.KeyState ?? 'unknown';
  return state === 'Enabled'
    ? ok(state)
    : problem(
        `${KeyId} is ${state}`,
        'aws kms cancel-key-deletion and enable-key: without it test keys cannot be read.',
      );
}

/** Reads the secret, and shows no value of it. */
async function providerKeys({ resources }: Subject): Promise<CheckFinding> {
  const SecretId = resources.find(({ type }) => type === 'AWS::SecretsManager::Secret')?.id;
  if (!SecretId) return problem('The stack has no secret', 'Deploy again.');
  const { SecretString = '' } = await new SecretsManagerClient({}).send(
    new GetSecretValueCommand({ SecretId }),
  );
  const names = namesIn(SecretString);
  if (!names)
    return problem(
      'The secret is no JSON object: every prompt step fails',
      'docs/deploying.md#model-providers.',
    );
  return names.length > 0
    ? ok(names.join(', '))
    : warning('None: steps that call a model fail', 'docs/deploying.md#model-providers.');
}

function namesIn(text: string): string[] | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return value && typeof value === 'object' && !Array.isArray(value) ? Object.keys(value) : undefined;
  } catch {
    return undefined;
  }
}
