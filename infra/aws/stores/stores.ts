import { Duration, Fn, Stack, Validations } from 'aws-cdk-lib';
import { AttributeType, Billing, type ITableV2, ProjectionType, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { EventBus } from 'aws-cdk-lib/aws-events';
import { Effect, ManagedPolicy, PolicyDocument, PolicyStatement, type Role } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Bucket, HttpMethods, type IBucket } from 'aws-cdk-lib/aws-s3';
import { CfnVectorBucket } from 'aws-cdk-lib/aws-s3vectors';
import { CfnScheduleGroup } from 'aws-cdk-lib/aws-scheduler';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { DeduplicationScope, FifoThroughputLimit, Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { conversationPayloads } from '../../../shared/domain/conversations/conversation.ts';
import {
  deadLetters,
  expiringPayloads,
  type QueueName,
  type QueueSpec,
  queues as queueSpecs,
  queueVisibilitySeconds,
  tableSchema,
} from '../../resources.ts';
import { resolvedLength } from '../conventions/policy-length.ts';
import { protectedRetentionPolicy, retentionPolicy } from '../conventions/retention.ts';
import { roleFor } from '../conventions/service-trust.ts';
import type { Settings } from '../conventions/settings.ts';
import { allowSending } from '../conventions/statements.ts';
import { Assets } from './assets.ts';
import { dataBucket } from './buckets.ts';

/** A page sends the file of an import to its signed address, which is the permission: the origin adds nothing (D297). */
const pagesMayUpload = {
  allowedMethods: [HttpMethods.PUT],
  allowedOrigins: ['*'],
  allowedHeaders: ['content-type'],
  maxAge: 7_200,
};

/** All stores: the table, the buckets, the queues, and the secret with the model providers' keys. */
export class Stores extends Construct {
  readonly table: ITableV2;
  readonly bucket: IBucket;
  readonly assets: Assets;
  readonly vectors: CfnVectorBucket;
  readonly vectorBucketName: string;
  readonly queues: Record<QueueName, Queue>;
  readonly deadLetters: Record<QueueName, Queue>;
  readonly providerKeys: Secret;
  readonly secretsPrefix: string;
  /** Encrypts the values of test keys. */
  readonly testKeysKey: Key;
  /** Resumes runs that are suspended longer than the maximum delay of a queue. */
  readonly wakeSchedules: CfnScheduleGroup;
  readonly schedulerRole: Role;
  /** Wake the schedules of surfaces. */
  readonly schedules: CfnScheduleGroup;
  readonly schedulesRole: Role;
  /** Allow sending email from the addresses and domains of the settings. */
  readonly senders: readonly ManagedPolicy[];
  /** The region of the Bedrock models that flows may call; undefined for none. */
  readonly bedrockRegion: string | undefined;
  /** Receives the events that flows send. */
  readonly eventBus: EventBus;

  constructor(scope: Construct, id: string, settings: Settings) {
    super(scope, id);
    const { env } = settings;
    const removalPolicy = retentionPolicy(settings);
    this.table = (
      settings.tableName ? TableV2.fromTableName(this, 'table', settings.tableName) : this.makeTable(settings)
    ) as ITableV2;
    const noLogs =
      'Only the service’s roles have access, each object through an item of the table; X-Ray traces their calls.';
    this.bucket = (
      settings.payloadBucket
        ? Bucket.fromBucketName(this, 'payloads', settings.payloadBucket)
        : this.payloadBucket(settings, noLogs)
    ) as IBucket;
    this.assets = new Assets(this, 'assets', settings);
    this.vectors = new CfnVectorBucket(this, 'vectors');
    this.vectors.applyRemovalPolicy(removalPolicy);
    this.vectorBucketName = Fn.select(1, Fn.split('/', this.vectors.attrVectorBucketArn));
    this.deadLetters = mapQueues((queue, spec) => this.makeQueue(`${queue}-dead-letters`, spec));
    this.queues = mapQueues((queue, spec) => this.makeQueue(queue, spec, this.deadLetters[queue]));
    this.wakeSchedules = new CfnScheduleGroup(this, 'wake-schedules');
    this.schedulerRole = roleFor(
      this,
      'scheduler-role',
      'scheduler.amazonaws.com',
      'Lets EventBridge Scheduler resume runs',
    );
    allowSending(this.schedulerRole, this.queues.wakes);
    this.schedules = new CfnScheduleGroup(this, 'schedules-group');
    this.schedulesRole = roleFor(
      this,
      'schedules-role',
      'scheduler.amazonaws.com',
      'Lets EventBridge Scheduler wake fire-schedule',
    );
    allowSending(this.schedulesRole, this.queues.schedules);
    allowSending(this.schedulesRole, this.deadLetters.schedules);
    this.eventBus = new EventBus(this, 'event-bus', { eventBusName: `agent-flow-${env}` });
    this.senders = senderPolicies(this, settings.sesIdentities);
    this.bedrockRegion = settings.bedrockRegion;
    this.secretsPrefix = `agent-flow/${env}`;
    this.testKeysKey = new Key(this, 'test-keys', {
      description: 'Encrypts the values of test keys and the secrets of push notifications',
      enableKeyRotation: true,
      pendingWindow: Duration.days(7),
      removalPolicy,
    });
    this.providerKeys = new Secret(this, 'provider-keys', {
      // Without a value, CDK generates one, which is not JSON.
      secretObjectValue: {},
      description: 'A JSON object with the keys of the model providers: OPENAI_API_KEY, ANTHROPIC_API_KEY, …',
      removalPolicy,
    });
    Validations.of(this.providerKeys).acknowledge({
      id: 'AwsSolutions-SMG4',
      reason: 'Model providers issue these keys and offer no rotation that AWS can call.',
    });
  }

  private payloadBucket(settings: Settings, noLogs: string): Bucket {
    const bucket = dataBucket(this, 'payloads', settings, noLogs);
    const { conversationRetentionDays: days } = settings;
    // The items expire by themselves, and name objects that are as old.
    for (const [prefix, seconds] of Object.entries(expiringPayloads))
      bucket.addLifecycleRule({ prefix, expiration: Duration.seconds(seconds) });
    if (days) bucket.addLifecycleRule({ prefix: conversationPayloads, expiration: Duration.days(days) });
    bucket.addCorsRule(pagesMayUpload);
    return bucket;
  }

  private makeTable(settings: Settings) {
    const key = (name: string) => ({ name, type: AttributeType.STRING });
    return new TableV2(this, 'table', {
      partitionKey: key(tableSchema.partitionKey),
      sortKey: key(tableSchema.sortKey),
      billing: Billing.onDemand(),
      timeToLiveAttribute: tableSchema.timeToLive,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      deletionProtection: settings.keepsData,
      removalPolicy: protectedRetentionPolicy(settings),
      globalSecondaryIndexes: tableSchema.indexes.map(({ name, partitionKey, sortKey, projected }) => ({
        indexName: name,
        partitionKey: key(partitionKey),
        sortKey: key(sortKey),
        projectionType: ProjectionType.INCLUDE,
        nonKeyAttributes: [...projected],
      })),
    });
  }

  private makeQueue(id: string, spec: QueueSpec, deadLetterQueue?: Queue) {
    const { fifo, maxReceiveCount } = spec;
    const visibilitySeconds = queueVisibilitySeconds(deadLetterQueue ? spec : deadLetters);
    return new Queue(this, id, {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: Duration.days(14),
      visibilityTimeout: Duration.seconds(visibilitySeconds),
      ...(fifo && {
        fifo: true,
        deduplicationScope: DeduplicationScope.MESSAGE_GROUP,
        fifoThroughputLimit: FifoThroughputLimit.PER_MESSAGE_GROUP_ID,
      }),
      ...(deadLetterQueue && { deadLetterQueue: { queue: deadLetterQueue, maxReceiveCount } }),
    });
  }
}

const mapQueues = (make: (name: QueueName, spec: QueueSpec) => Queue) =>
  Object.fromEntries(
    Object.entries(queueSpecs).map(([name, spec]) => [name, make(name as QueueName, spec)]),
  ) as Record<QueueName, Queue>;

/** Below IAM's 6,144 characters, less the statement around the identities. */
const identitiesLengthMax = 5_800;

/**
 * Allow sending email as the identities of the settings. All roles that send share these policies, as a list of addresses
 * would be the largest part of each.
 */
function senderPolicies(scope: Construct, identities: readonly string[]): ManagedPolicy[] {
  const stack = Stack.of(scope);
  const arns = identities.map((resourceName) =>
    stack.formatArn({ service: 'ses', resource: 'identity', resourceName }),
  );
  const sending = (resources: string[]) =>
    new PolicyStatement({ effect: Effect.ALLOW, actions: ['ses:SendEmail'], resources });
  const chunks: { resources: string[]; room: number }[] = [];
  for (const arn of arns) {
    const length = resolvedLength(stack, sending([arn]));
    const last = chunks.at(-1);
    if (last && last.room >= length) last.resources.push(arn);
    else chunks.push({ resources: [arn], room: identitiesLengthMax });
    (chunks.at(-1) as { room: number }).room -= length;
  }
  return chunks.map(({ resources }, index) => {
    const document = new PolicyDocument({ statements: [sending(resources)] });
    return new ManagedPolicy(scope, `senders-${index + 1}`, { document, description: 'Sends email' });
  });
}
