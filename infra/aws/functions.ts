import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import {
  Architecture,
  Code,
  Function as LambdaFunction,
  LoggingFormat,
  RecursiveLoop,
  Runtime,
  Tracing,
} from 'aws-cdk-lib/aws-lambda';
import { LogGroup, type RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { Use } from '../../shared/platform/aws/uses.ts';
import { type Variable, variablesOf } from '../uses.ts';
import { type Bundles, staticFilesFolder } from './bundles.ts';
import { type Entry, entries } from './entries.ts';
import type { Environment } from './environments.ts';
import { addEventSources } from './event-sources.ts';
import { groupRole } from './grants.ts';
import type { Identity } from './identity.ts';
import type { Stores } from './stores.ts';

export interface FunctionsProps {
  environment: Environment;
  bundles: Bundles;
  stores: Stores;
  identity: Identity;
  limits: { perHour: number; perDay: number };
  /** The public base URL, if it is not API Gateway's. */
  publicUrl?: string;
}

/** The name prefix of all functions of a deployment. */
export const functionNamePrefix = ({ name }: Environment) => `agent-flow-${name}-`;

/** Every Lambda of the service. A group shares one role and one log group. */
export class Functions extends Construct {
  readonly byId: Readonly<Record<string, LambdaFunction>>;

  constructor(scope: Construct, id: string, props: FunctionsProps) {
    super(scope, id);
    const groups = new Map<string, ReturnType<Functions['makeGroup']>>();
    const groupOf = (group: string) => {
      const made = groups.get(group) ?? this.makeGroup(group, props);
      groups.set(group, made);
      return made;
    };
    this.byId = Object.fromEntries(
      entries.map((entry) => [entry.id, this.makeFunction(entry, groupOf(entry.group), props)]),
    );
    addEventSources(this, (worker) => this.workerNamed(worker), props.stores, props.environment.name);
  }

  private makeGroup(group: string, { environment: { logRetentionDays, keepsData }, stores }: FunctionsProps) {
    const uses = new Set(entries.filter((entry) => entry.group === group).flatMap((entry) => entry.uses));
    const role = groupRole(this, group, uses, stores);
    const logGroup = new LogGroup(this, `${group}-log`, {
      retention: logRetentionDays as RetentionDays,
      removalPolicy: keepsData ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    });
    logGroup.grantWrite(role);
    return { role, logGroup };
  }

  private makeFunction(
    { id, uses, timeoutSeconds, memoryMb, recursiveLoop }: Entry,
    shared: ReturnType<Functions['makeGroup']>,
    props: FunctionsProps,
  ) {
    const folder = props.bundles[id];
    if (!folder) throw new Error(`The bundle of ${id} is missing`);
    const reservedConcurrency = id === 'authorizer' && props.environment.authorizersReserved;
    return new LambdaFunction(this, id, {
      functionName: functionNamePrefix(props.environment) + id.replace('.', '-'),
      ...shared,
      code: Code.fromAsset(folder),
      handler: 'index.handler',
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      memorySize: memoryMb,
      timeout: Duration.seconds(timeoutSeconds),
      tracing: Tracing.ACTIVE,
      loggingFormat: LoggingFormat.TEXT,
      // Lambda's default is to terminate.
      ...(recursiveLoop === 'Allow' && { recursiveLoop: RecursiveLoop.ALLOW }),
      ...(reservedConcurrency && { reservedConcurrentExecutions: reservedConcurrency }),
      environment: environmentOf(uses, props),
    });
  }

  private workerNamed(name: string) {
    const lambda = this.byId[`workers.${name}`];
    if (!lambda) throw new Error(`The Lambda of ${name} is missing`);
    return lambda;
  }
}

/** The value of each environment variable, without the undefined ones. */
const valuesOf = ({
  stores,
  identity,
  limits,
  publicUrl,
}: FunctionsProps): Record<Variable, string | undefined> => ({
  TABLE_NAME: stores.table.tableName,
  RATE_LIMIT_PER_HOUR: String(limits.perHour),
  RATE_LIMIT_PER_DAY: String(limits.perDay),
  OIDC_ISSUER: identity.issuer,
  OIDC_AUDIENCE: identity.audience,
  PAYLOAD_BUCKET: stores.bucket.bucketName,
  PLAN_QUEUE_URL: stores.queues.plan.queueUrl,
  RUNS_QUEUE_URL: stores.queues.runs.queueUrl,
  WAKES_QUEUE_URL: stores.queues.wakes.queueUrl,
  WAKES_QUEUE_ARN: stores.queues.wakes.queueArn,
  CLEANUP_QUEUE_URL: stores.queues.cleanup.queueUrl,
  SCHEDULE_GROUP: stores.wakeSchedules.ref,
  SCHEDULER_ROLE_ARN: stores.schedulerRole.roleArn,
  EVENT_BUS: stores.eventBus.eventBusName,
  ASSET_BUCKET: stores.assets.bucket.bucketName,
  PUBLIC_ASSETS_URL: stores.assets.publicUrl,
  VECTOR_BUCKET: String(stores.vectors.vectorBucketName),
  SECRETS_PREFIX: stores.secretsPrefix,
  PROVIDER_KEYS_SECRET: stores.providerKeys.secretArn,
  PUBLIC_URL: publicUrl,
  STATIC_FILES: staticFilesFolder,
});

function environmentOf(uses: readonly Use[], props: FunctionsProps): Record<string, string> {
  const values = valuesOf(props);
  const names = new Set(uses.flatMap((use): readonly Variable[] => variablesOf[use]));
  return Object.fromEntries(
    [...names].flatMap((name) => {
      const value = values[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}
