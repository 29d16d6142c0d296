import { type CfnElement, Stack } from 'aws-cdk-lib';
import {
  type AddToPrincipalPolicyResult,
  Effect,
  ManagedPolicy,
  PolicyDocument,
  PolicyStatement,
  Role,
  ServicePrincipal,
} from 'aws-cdk-lib/aws-iam';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import type { CfnVectorBucket } from 'aws-cdk-lib/aws-s3vectors';
import type { CfnScheduleGroup } from 'aws-cdk-lib/aws-scheduler';
import type { Construct } from 'constructs';
import type { Use } from '../../../shared/platform/aws/uses.ts';
import { tableSchema } from '../../resources.ts';
import { payloadActions, tableActions } from '../../uses.ts';
import { resolvedLength } from '../conventions/policy-length.ts';
import {
  acknowledgeWildcard,
  allowActions,
  allowSecrets,
  allowSending,
  shownReference,
} from '../conventions/statements.ts';
import type { Assets } from '../stores/assets.ts';
import type { Stores } from '../stores/stores.ts';

/** Messages, also those that EventBridge Scheduler sends at a time. */
const queueGrants = {
  'queue:plan': (role, { queues }) => allowSending(role, queues.plan),
  'queue:runs': (role, { queues }) => allowSending(role, queues.runs),
  'queue:runs:release': (role, { queues }) =>
    allowActions(role, ['sqs:DeleteMessage'], [queues.runs.queueArn]),
  'queue:wakes': (role, { queues, wakeSchedules, schedulerRole }) => {
    allowSending(role, queues.wakes);
    const reason = 'Every schedule of the group resumes a run.';
    allowScheduling(role, ['CreateSchedule'], { group: wakeSchedules, role: schedulerRole, reason });
  },
  'queue:agents': (role, { queues }) => allowSending(role, queues.agents),
  'queue:deliveries': (role, { queues }) => allowSending(role, queues.deliveries),
  'queue:telemetry': (role, { queues }) => allowSending(role, queues.telemetry),
  'queue:cleanup': (role, { queues }) => allowSending(role, queues.cleanup),
  'queue:jobs': (role, { queues }) => allowSending(role, queues.jobs),
  'queue:migrations': (role, { queues }) => allowSending(role, queues.migrations),
  schedules: (role, { schedules, schedulesRole }) =>
    allowScheduling(role, ['CreateSchedule', 'UpdateSchedule', 'DeleteSchedule'], {
      group: schedules,
      role: schedulesRole,
      reason: 'Every schedule of the group wakes fire-schedule.',
    }),
} satisfies Partial<Record<Use, RoleGrant>>;

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
  const shown = `${shownReference(role, group)}/*`;
  acknowledgeWildcard(
    role,
    `arn:<AWS::Partition>:scheduler:<AWS::Region>:<AWS::AccountId>:schedule/${shown}`,
    reason,
  );
}

const anyOfTenant = 'of its tenant, and the same workers run all tenants.';
// Lambdas that store values need not read them.
const storing = ['CreateSecret', 'PutSecretValue', 'DeleteSecret', 'RestoreSecret'];

const onSecrets =
  (folder: string, actions: string[], reason: string): RoleGrant =>
  (role, { secretsPrefix }) =>
    allowSecrets(role, actions, `${secretsPrefix}/*/${folder}/*`, reason);

const tenantFirst = (what: string) => `The names of ${what} start with the tenant.`;

/** Values in Secrets Manager. */
const secretGrants = {
  'provider-keys': (role, { providerKeys }) =>
    allowActions(role, ['secretsmanager:GetSecretValue'], [providerKeys.secretArn]),
  'test-keys:former': onSecrets('api-keys', ['GetSecretValue', 'DeleteSecret'], tenantFirst('test keys')),
  'test-keys:restore': onSecrets(
    'api-keys',
    ['RestoreSecret'],
    'A migration moves the values of all tenants.',
  ),
  'secrets:write': onSecrets('secrets', storing, tenantFirst('secrets')),
  'secrets:read': onSecrets('secrets', ['GetSecretValue'], `A run may reference any secret ${anyOfTenant}`),
  'own-keys:write': onSecrets('provider-keys', storing, tenantFirst('provider keys')),
  'own-keys:read': onSecrets(
    'provider-keys',
    ['GetSecretValue'],
    `A run may use any provider key ${anyOfTenant}`,
  ),
  'agent-credentials:write': onSecrets('agents', storing, tenantFirst('credentials')),
  'agent-credentials:read': onSecrets(
    'agents',
    ['GetSecretValue'],
    `A run may use any credential of an agent ${anyOfTenant}`,
  ),
  'surface-secrets:write': onSecrets(
    'surfaces',
    ['CreateSecret', 'PutSecretValue', 'RestoreSecret'],
    tenantFirst('the secrets of surfaces'),
  ),
  'surface-secrets:delete': onSecrets('surfaces', ['DeleteSecret'], tenantFirst('the secrets of surfaces')),
  'surface-secrets:read': onSecrets(
    'surfaces',
    ['GetSecretValue'],
    'Senders of webhooks call the surfaces of any tenant, and the same Lambdas verify all of them.',
  ),
} satisfies Partial<Record<Use, RoleGrant>>;

/** On the KMS key of small secrets; the context of the encryption says what kind they are. */
const onKey =
  (actions: string[], context?: Record<string, Record<string, string>>): RoleGrant =>
  (role, { testKeysKey }) =>
    allowActions(role, actions, [testKeysKey.keyArn], context);

const read = ['kms:Decrypt'];
const write = ['kms:Encrypt'];

/** The context of the values of test keys has no task. */
const ofTasks = { StringLike: { 'kms:EncryptionContext:taskId': 'task_*' } };
/** Nor has it a connection. */
const ofConnections = { StringLike: { 'kms:EncryptionContext:connectionId': 'mcpconn_*' } };
const ofRuns = { StringEquals: { 'kms:EncryptionContext:purpose': 'run' } };
const ofBudgets = { StringEquals: { 'kms:EncryptionContext:purpose': 'budget' } };
const ofTelemetry = { StringEquals: { 'kms:EncryptionContext:purpose': 'telemetry' } };

/** Values that the table has, encrypted. */
const keyGrants = {
  'test-keys': onKey([...write, ...read]),
  'test-keys:write': onKey(write),
  'push-secrets:read': onKey(read, ofTasks),
  'push-secrets:write': onKey(write, ofTasks),
  'mcp-connections:read': onKey(read, ofConnections),
  'mcp-connections:write': onKey(write, ofConnections),
  'run-values': onKey([...write, ...read], ofRuns),
  'budget-secrets:read': onKey(read, ofBudgets),
  'budget-secrets:write': onKey(write, ofBudgets),
  'telemetry-secrets:read': onKey(read, ofTelemetry),
  'telemetry-secrets:write': onKey(write, ofTelemetry),
} satisfies Partial<Record<Use, RoleGrant>>;

/** The execution role of a group of Lambdas. It allows only what their uses require. */
export function groupRole(scope: Construct, group: string, uses: ReadonlySet<Use>, stores: Stores): Role {
  const role = new LambdaRole(scope, `${group}-role`, `Lambdas of the group ${group}`);
  allowActions(role, ['xray:PutTraceSegments', 'xray:PutTelemetryRecords'], ['*']);
  acknowledgeWildcard(role, '*', 'X-Ray actions support no resources.');
  for (const use of uses) grants[use](role, stores);
  return role;
}

const onTable =
  (use: keyof typeof tableActions): RoleGrant =>
  (role, { table }) =>
    allowActions(role, tableActions[use], [table.tableArn]);

const onTableAndIndexes =
  (use: keyof typeof tableActions): RoleGrant =>
  (role, { table }) => {
    const indexes = tableSchema.indexes.map(({ name }) => `${table.tableArn}/index/${name}`);
    allowActions(role, tableActions[use], [table.tableArn, ...indexes]);
  };

const onPayloads =
  (use: 'payloads:read' | 'payloads:write' | 'payloads:delete'): RoleGrant =>
  (role, { bucket }) => {
    allowActions(role, payloadActions[use], [bucket.arnForObjects('*')]);
    acknowledgeWildcard(role, `${shownBucket(role, bucket)}/*`, 'Every object in the bucket is a payload.');
  };

/** Settings, and what other uses already allow. */
const nothing: RoleGrant = () => {};

const grants: Record<Use, RoleGrant> = {
  ...queueGrants,
  ...secretGrants,
  ...keyGrants,
  'rate-limits': onTable('rate-limits'),
  'open-requests': onTable('open-requests'),
  'table:read': onTableAndIndexes('table:read'),
  'table:write': onTableAndIndexes('table:write'),
  'table:delete': onTable('table:delete'),
  'table:walk': onTable('table:walk'),
  credentials: onTableAndIndexes('credentials'),
  'payloads:read': onPayloads('payloads:read'),
  'payloads:write': onPayloads('payloads:write'),
  'payloads:delete': onPayloads('payloads:delete'),
  'payloads:list': (role, { bucket }) =>
    allowActions(role, payloadActions['payloads:list'], [bucket.bucketArn]),
  assets: (role, { assets }) => grantAssets(role, assets),
  'assets:public': (role, { assets }) => grantPublicAssets(role, assets),
  vectors: (role, { vectors }) => grantVectors(role, vectors),
  'vectors:find': (role, { vectors }) => grantVectorIndexLookup(role, vectors),
  bedrock: grantBedrock,
  messages: grantMessages,
  'alert-emails': grantEmails,
  'conversation-retention': nothing,
  'message-limits': nothing,
  'places:agents': nothing,
  'places:deliveries': nothing,
  'places:telemetry': nothing,
  'places:jobs': nothing,
  'deployment-collector': nothing,
  'telemetry-resource': nothing,
  'default-limits': nothing,
  'sign-in': nothing,
  'public-url': nothing,
  cors: nothing,
  'static-files': nothing,
};

/** The ARN of a bucket as cdk-nag shows it. */
function shownBucket(role: Role, { node, bucketName }: IBucket): string {
  const child = node.defaultChild as CfnElement | undefined;
  return child ? shownReference(role, child, 'Arn') : `arn:<AWS::Partition>:s3:::${bucketName}`;
}

const reason = 'A flow names any model of Bedrock; the account decides which of them it has access to.';

/** Allows calls of Bedrock's models, if the deployment names a region for them. */
function grantBedrock(role: Role, { bedrockRegion }: Stores): void {
  if (!bedrockRegion) return;
  const { partition, account } = Stack.of(role);
  // A cross-region profile needs its models in all of its regions; those of global profiles have no region.
  const models = ':bedrock:*::foundation-model/*';
  const profiles = ['inference-profile', 'application-inference-profile'];
  const profilesIn = (accountId: string) =>
    profiles.map((name) => `:bedrock:${bedrockRegion}:${accountId}:${name}/*`);
  allowActions(
    role,
    ['bedrock:InvokeModel', 'bedrock:InvokeModelWithResponseStream'],
    [models, ...profilesIn(account)].map((arn) => `arn:${partition}${arn}`),
  );
  for (const arn of [models, ...profilesIn('<AWS::AccountId>')])
    acknowledgeWildcard(role, `arn:<AWS::Partition>${arn}`, reason);
}

/** A presigned URL carries the right to read. */
function grantAssets(role: Role, { bucket }: Assets): void {
  allowActions(role, ['s3:GetObject', 's3:PutObject'], [bucket.arnForObjects('*')]);
  const shown = shownReference(role, bucket.node.defaultChild as CfnElement, 'Arn');
  acknowledgeWildcard(role, `${shown}/*`, 'Every object in the bucket is a file of a flow.');
}

/** Allows signing URLs of public files. */
function grantPublicAssets(role: Role, { bucket }: Assets): void {
  allowActions(role, ['s3:GetObject'], [bucket.arnForObjects('public/*')]);
  const shown = shownReference(role, bucket.node.defaultChild as CfnElement, 'Arn');
  acknowledgeWildcard(role, `${shown}/public/*`, 'Everybody may read these files.');
}

const grantVectors = (role: Role, vectors: CfnVectorBucket) =>
  allowOnIndexes(role, vectors, [
    'CreateIndex',
    'GetIndex',
    'PutVectors',
    'QueryVectors',
    'GetVectors',
    'DeleteVectors',
  ]);

/** Allows checking whether a collection exists, without access to its contents. */
const grantVectorIndexLookup = (role: Role, vectors: CfnVectorBucket) =>
  allowOnIndexes(role, vectors, ['GetIndex']);

function allowOnIndexes(role: Role, vectors: CfnVectorBucket, actions: readonly string[]): void {
  const indexes = `${vectors.attrVectorBucketArn}/index/*`;
  allowActions(
    role,
    actions.map((action) => `s3vectors:${action}`),
    [indexes],
  );
  const shown = shownReference(role, vectors, 'VectorBucketArn');
  acknowledgeWildcard(role, `${shown}/index/*`, 'Every index is a collection of a tenant.');
}

/** Below IAM's 10,240 and 6,144 characters, as estimates may be too low. */
const inlineMax = 8_000;
const managedMax = 5_000;

/**
 * An execution role whose policy is a part of it. The CDK's own would be a resource more for each role. Statements that do
 * not fit into it are in managed policies: the size of a role's own policies is a limit of IAM that nobody can raise, and
 * only a deployment would show that it is exceeded.
 */
class LambdaRole extends Role {
  private readonly documents: { content: PolicyDocument; room: number }[];

  constructor(scope: Construct, id: string, description: string) {
    const access = new PolicyDocument();
    const assumedBy = new ServicePrincipal('lambda.amazonaws.com');
    super(scope, id, { assumedBy, description, inlinePolicies: { access } });
    this.documents = [{ content: access, room: inlineMax }];
  }

  override addToPrincipalPolicy(statement: PolicyStatement): AddToPrincipalPolicyResult {
    const length = resolvedLength(Stack.of(this), statement);
    const document = this.documents.find(({ room }) => room >= length) ?? this.addManaged();
    document.content.addStatements(statement);
    document.room -= length;
    return { statementAdded: true, policyDependable: this };
  }

  /** The role names the policy, so it has all of its rights before a Lambda has the role. */
  private addManaged() {
    const added = { content: new PolicyDocument(), room: managedMax };
    const id = `more-${this.documents.length}`;
    this.addManagedPolicy(new ManagedPolicy(this, id, { document: added.content }));
    this.documents.push(added);
    return added;
  }
}

/** Allows sending emails from the configured identities. */
function grantEmails(role: Role, { senders }: Stores): void {
  for (const policy of senders) role.addManagedPolicy(policy);
}

/** Allows flows to send emails, text messages and events. */
function grantMessages(role: Role, stores: Stores): void {
  const { eventBus } = stores;
  grantEmails(role, stores);
  // A phone number is not a resource; this excludes topics.
  const toNumbers = new PolicyStatement({
    effect: Effect.ALLOW,
    // D269
    actions: ['sns:Publish'],
    notResources: [`arn:${Stack.of(role).partition}:sns:*:*:*`],
  });
  role.addToPrincipalPolicy(toNumbers);
  allowActions(role, ['events:PutEvents'], [eventBus.eventBusArn]);
}

/** Allows a role what a use needs. */
type RoleGrant = (role: Role, stores: Stores) => void;
