import type { CfnElement } from 'aws-cdk-lib';
import type { Role } from 'aws-cdk-lib/aws-iam';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import type { Construct } from 'constructs';
import type { Use } from '../../../shared/platform/aws/uses.ts';
import { tableSchema } from '../../resources.ts';
import { payloadActions, tableActions } from '../../uses.ts';
import { acknowledgeWildcard, allowActions, shownReference } from '../conventions/statements.ts';
import type { Stores } from '../stores/stores.ts';
import { grantBedrock } from './bedrock-grants.ts';
import { grantAssets, grantPublicAssets, grantVectorIndexLookup, grantVectors } from './file-grants.ts';
import { keyGrants } from './key-grants.ts';
import { LambdaRole } from './lambda-role.ts';
import { grantEmails, grantMessages } from './message-grants.ts';
import { queueGrants } from './queue-grants.ts';
import type { RoleGrant } from './role-grant.ts';
import { secretGrants } from './secret-grants.ts';

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
