import { type CfnElement, Stack } from 'aws-cdk-lib';
import type { Role } from 'aws-cdk-lib/aws-iam';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import type { CfnScheduleGroup } from 'aws-cdk-lib/aws-scheduler';
import type { Construct } from 'constructs';
import type { Use } from '../../../shared/platform/aws/uses.ts';
import { tableSchema } from '../../resources.ts';
import { tableActions } from '../../uses.ts';
import { acknowledgeWildcard, allowActions, allowSecrets, allowSending } from '../conventions/statements.ts';
import type { Stores } from '../stores/stores.ts';
import { grantBedrock } from './bedrock-grants.ts';
import { grantAssets, grantPublicAssets, grantVectorIndexLookup, grantVectors } from './file-grants.ts';
import { LambdaRole } from './lambda-role.ts';
import { grantEmails, grantMessages } from './message-grants.ts';

/** The execution role of a group of Lambdas. It allows only what their uses require. */
export function groupRole(scope: Construct, group: string, uses: ReadonlySet<Use>, stores: Stores): Role {
  const role = new LambdaRole(scope, `${group}-role`, `Lambdas of the group ${group}`);
  allowActions(role, ['xray:PutTraceSegments', 'xray:PutTelemetryRecords'], ['*']);
  acknowledgeWildcard(role, '*', 'X-Ray actions support no resources.');
  for (const use of uses) grant(role, use, stores);
  return role;
}

function grant(role: Role, use: Use, stores: Stores) {
  const { table, bucket, queues, providerKeys, secretsPrefix, wakeSchedules, schedulerRole } = stores;
  const tableArns = [
    table.tableArn,
    ...tableSchema.indexes.map(({ name }) => `${table.tableArn}/index/${name}`),
  ];
  const nothing = () => {};
  const grants: Record<Use, () => void> = {
    'rate-limits': () => allowActions(role, tableActions['rate-limits'], [table.tableArn]),
    'open-requests': () => allowActions(role, tableActions['open-requests'], [table.tableArn]),
    'table:read': () => allowActions(role, tableActions['table:read'], tableArns),
    'table:write': () => allowActions(role, tableActions['table:write'], tableArns),
    'table:walk': () => allowActions(role, tableActions['table:walk'], [table.tableArn]),
    credentials: () => allowActions(role, tableActions.credentials, tableArns),
    payloads: () => {
      allowActions(role, ['s3:GetObject', 's3:PutObject', 's3:DeleteObject'], [bucket.arnForObjects('*')]);
      acknowledgeWildcard(role, `${shownBucket(bucket)}/*`, 'Every object in the bucket is a payload.');
    },
    'conversation-retention': nothing,
    'payloads:list': () => allowActions(role, ['s3:ListBucket'], [bucket.bucketArn]),
    'queue:plan': () => allowSending(role, queues.plan),
    'queue:runs': () => allowSending(role, queues.runs),
    'queue:runs:release': () => allowActions(role, ['sqs:DeleteMessage'], [queues.runs.queueArn]),
    'queue:wakes': () => {
      allowSending(role, queues.wakes);
      const reason = 'Every schedule of the group resumes a run.';
      allowScheduling(role, ['CreateSchedule'], { group: wakeSchedules, role: schedulerRole, reason });
    },
    'places:agents': nothing,
    'places:deliveries': nothing,
    'places:telemetry': nothing,
    'deployment-collector': nothing,
    'telemetry-resource': nothing,
    'queue:agents': () => allowSending(role, queues.agents),
    schedules: () =>
      allowScheduling(role, ['CreateSchedule', 'UpdateSchedule', 'DeleteSchedule'], {
        group: stores.schedules,
        role: stores.schedulesRole,
        reason: 'Every schedule of the group wakes fire-schedule.',
      }),
    'queue:deliveries': () => allowSending(role, queues.deliveries),
    'queue:telemetry': () => allowSending(role, queues.telemetry),
    'queue:cleanup': () => allowSending(role, queues.cleanup),
    'queue:migrations': () => allowSending(role, queues.migrations),
    'provider-keys': () => allowActions(role, ['secretsmanager:GetSecretValue'], [providerKeys.secretArn]),
    bedrock: () => grantBedrock(role, stores),
    messages: () => grantMessages(role, stores),
    assets: () => grantAssets(role, stores.assets),
    'assets:public': () => grantPublicAssets(role, stores.assets),
    vectors: () => grantVectors(role, stores.vectors),
    'vectors:find': () => grantVectorIndexLookup(role, stores.vectors),
    'test-keys': () => allowActions(role, ['kms:Encrypt', 'kms:Decrypt'], [stores.testKeysKey.keyArn]),
    'test-keys:write': () => allowActions(role, ['kms:Encrypt'], [stores.testKeysKey.keyArn]),
    'push-secrets:read': () => allowActions(role, ['kms:Decrypt'], [stores.testKeysKey.keyArn], ofTasks),
    'push-secrets:write': () => allowActions(role, ['kms:Encrypt'], [stores.testKeysKey.keyArn], ofTasks),
    'mcp-connections:read': () =>
      allowActions(role, ['kms:Decrypt'], [stores.testKeysKey.keyArn], ofConnections),
    'mcp-connections:write': () =>
      allowActions(role, ['kms:Encrypt'], [stores.testKeysKey.keyArn], ofConnections),
    'budget-secrets:read': () => allowActions(role, ['kms:Decrypt'], [stores.testKeysKey.keyArn], ofBudgets),
    'budget-secrets:write': () => allowActions(role, ['kms:Encrypt'], [stores.testKeysKey.keyArn], ofBudgets),
    'alert-emails': () => grantEmails(role, stores),
    'telemetry-secrets:read': () =>
      allowActions(role, ['kms:Decrypt'], [stores.testKeysKey.keyArn], ofTelemetry),
    'telemetry-secrets:write': () =>
      allowActions(role, ['kms:Encrypt'], [stores.testKeysKey.keyArn], ofTelemetry),
    'test-keys:former': () =>
      allowSecrets(
        role,
        ['GetSecretValue', 'DeleteSecret'],
        `${secretsPrefix}/*/api-keys/*`,
        'The names of test keys start with the tenant.',
      ),
    'test-keys:restore': () =>
      allowSecrets(
        role,
        ['RestoreSecret'],
        `${secretsPrefix}/*/api-keys/*`,
        'A migration moves the values of all tenants.',
      ),
    // Lambdas that store values need not read them.
    'secrets:write': () =>
      allowSecrets(
        role,
        ['CreateSecret', 'PutSecretValue', 'DeleteSecret', 'RestoreSecret'],
        `${secretsPrefix}/*/secrets/*`,
        'The names of secrets start with the tenant.',
      ),
    'secrets:read': () =>
      allowSecrets(
        role,
        ['GetSecretValue'],
        `${secretsPrefix}/*/secrets/*`,
        'A run may reference any secret of its tenant, and the same workers run all tenants.',
      ),
    'own-keys:write': () =>
      allowSecrets(
        role,
        ['CreateSecret', 'PutSecretValue', 'DeleteSecret', 'RestoreSecret'],
        `${secretsPrefix}/*/provider-keys/*`,
        'The names of provider keys start with the tenant.',
      ),
    'own-keys:read': () =>
      allowSecrets(
        role,
        ['GetSecretValue'],
        `${secretsPrefix}/*/provider-keys/*`,
        'A run may use any provider key of its tenant, and the same workers run all tenants.',
      ),
    'agent-credentials:write': () =>
      allowSecrets(
        role,
        ['CreateSecret', 'PutSecretValue', 'DeleteSecret', 'RestoreSecret'],
        `${secretsPrefix}/*/agents/*`,
        'The names of credentials start with the tenant.',
      ),
    'agent-credentials:read': () =>
      allowSecrets(
        role,
        ['GetSecretValue'],
        `${secretsPrefix}/*/agents/*`,
        'A run may use any credential of an agent of its tenant, and the same workers run all tenants.',
      ),
    'surface-secrets:write': () =>
      allowSecrets(
        role,
        ['CreateSecret', 'PutSecretValue', 'RestoreSecret'],
        `${secretsPrefix}/*/surfaces/*`,
        'The names of the secrets of surfaces start with the tenant.',
      ),
    'surface-secrets:delete': () =>
      allowSecrets(
        role,
        ['DeleteSecret'],
        `${secretsPrefix}/*/surfaces/*`,
        'The names of the secrets of surfaces start with the tenant.',
      ),
    'surface-secrets:read': () =>
      allowSecrets(
        role,
        ['GetSecretValue'],
        `${secretsPrefix}/*/surfaces/*`,
        'Senders of webhooks call the surfaces of any tenant, and the same Lambdas verify all of them.',
      ),
    'default-limits': nothing,
    'sign-in': nothing,
    'public-url': nothing,
    cors: nothing,
    'static-files': nothing,
  };
  grants[use]();
}

interface Scheduling {
  group: CfnScheduleGroup;
  /** With which EventBridge Scheduler sends. */
  role: Role;
  reason: string;
}

/** Allows actions on the schedules of a group, and to hand over the role of the group. */
function allowScheduling(role: Role, actions: string[], { group, role: passed, reason }: Scheduling) {
  const stack = Stack.of(role);
  const names = { service: 'scheduler', resource: 'schedule', resourceName: `${group.ref}/*` };
  const onSchedules = actions.map((action) => `scheduler:${action}`);
  allowActions(role, onSchedules, [stack.formatArn(names)]);
  const toScheduler = { StringEquals: { 'iam:PassedToService': 'scheduler.amazonaws.com' } };
  allowActions(role, ['iam:PassRole'], [passed.roleArn], toScheduler);
  const shown = `<${stack.getLogicalId(group)}>/*`;
  acknowledgeWildcard(
    role,
    `arn:<AWS::Partition>:scheduler:<AWS::Region>:<AWS::AccountId>:schedule/${shown}`,
    reason,
  );
}

/** The context of the values of test keys has no task. */
const ofTasks = { StringLike: { 'kms:EncryptionContext:taskId': 'task_*' } };

/** Nor has it a connection. */
const ofConnections = { StringLike: { 'kms:EncryptionContext:connectionId': 'mcpconn_*' } };

const ofBudgets = { StringEquals: { 'kms:EncryptionContext:purpose': 'budget' } };

const ofTelemetry = { StringEquals: { 'kms:EncryptionContext:purpose': 'telemetry' } };

/** The ARN of a bucket as cdk-nag shows it. */
function shownBucket({ node, bucketName }: IBucket): string {
  const child = node.defaultChild as CfnElement | undefined;
  return child ? `<${Stack.of(child).getLogicalId(child)}.Arn>` : `arn:<AWS::Partition>:s3:::${bucketName}`;
}
