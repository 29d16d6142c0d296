import { Duration } from 'aws-cdk-lib';
import type { Role } from 'aws-cdk-lib/aws-iam';
import {
  Code,
  Function as LambdaFunction,
  LoggingFormat,
  RecursiveLoop,
  Tracing,
} from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { publicFilesPath } from '../../../functions/public/get-file.ts';
import manifest from '../../../package.json' with { type: 'json' };
import type { Use } from '../../../shared/platform/aws/uses.ts';
import { queues, tenantPlaces } from '../../resources.ts';
import { type EnvironmentVariable, useVariables } from '../../uses.ts';
import { entries, type LambdaEntry, preTokenGeneration } from '../conventions/entries.ts';
import { logGroupFor } from '../conventions/log-groups.ts';
import { lambdaName } from '../conventions/names.ts';
import { howBundlesRun } from '../conventions/own-functions.ts';
import type { Settings } from '../conventions/settings.ts';
import { groupRole } from '../grants/group-role.ts';
import { metricsNamespace } from '../monitoring/measurements.ts';
import type { Stores } from '../stores/stores.ts';
import { type Bundles, bundleFolder, staticFilesFolder } from './bundles.ts';
import { addEventSources } from './event-sources.ts';
import type { Identity } from './identity.ts';

export interface FunctionsProps {
  settings: Settings;
  bundles: Bundles;
  stores: Stores;
  identity: Identity;
  /** The base URL by which callers reach the API. */
  publicUrl: string;
}

/** Every Lambda of the service. A group shares one role and one log group. */
export class Functions extends Construct {
  readonly byId: Readonly<Record<string, LambdaFunction>>;
  readonly roles: readonly Role[];

  constructor(scope: Construct, id: string, props: FunctionsProps) {
    super(scope, id);
    const groups = new Map<string, ReturnType<Functions['makeGroup']>>();
    const groupOf = (group: string) => {
      const made = groups.get(group) ?? this.makeGroup(group, props);
      groups.set(group, made);
      return made;
    };
    const deployed = entries.filter(({ id }) => id !== preTokenGeneration || props.identity.pool);
    this.byId = Object.fromEntries(
      deployed.map((entry) => [entry.id, this.makeFunction(entry, groupOf(entry.group), props)]),
    );
    this.roles = [...groups.values()].map(({ role }) => role);
    addEventSources(this, (worker) => this.workerNamed(worker), props.stores, props.settings.env);
  }

  private makeGroup(group: string, { settings, stores }: FunctionsProps) {
    const uses = new Set(entries.filter((entry) => entry.group === group).flatMap((entry) => entry.uses));
    const role = groupRole(this, group, uses, stores);
    const logGroup = logGroupFor(this, `${group}-log`, settings);
    logGroup.grantWrite(role);
    return { role, logGroup };
  }

  private makeFunction(
    { id, uses, timeoutSeconds, memoryMb, recursiveLoop }: LambdaEntry,
    shared: ReturnType<Functions['makeGroup']>,
    props: FunctionsProps,
  ) {
    const reservedConcurrency = id === 'authorizer' && props.settings.authorizersReserved;
    return new LambdaFunction(this, id, {
      functionName: lambdaName(id, props.settings.env),
      ...shared,
      code: Code.fromAsset(bundleFolder(props.bundles, id)),
      ...howBundlesRun,
      memorySize: memoryMb,
      timeout: Duration.seconds(timeoutSeconds),
      tracing: Tracing.ACTIVE,
      loggingFormat: LoggingFormat.TEXT,
      // Lambda's default is to terminate.
      ...(recursiveLoop === 'Allow' && { recursiveLoop: RecursiveLoop.ALLOW }),
      ...(reservedConcurrency && { reservedConcurrentExecutions: reservedConcurrency }),
      environment: { ...signalsOf(props.settings), ...environmentOf(uses, props) },
    });
  }

  private workerNamed(name: string) {
    const lambda = this.byId[`workers.${name}`];
    if (!lambda) throw new Error(`The Lambda of ${name} is missing`);
    return lambda;
  }
}

/** The environment variables of every Lambda. */
const signalsOf = (settings: Settings): Record<string, string> => ({
  METRICS_NAMESPACE: metricsNamespace(settings),
  LOG_LEVEL: settings.logLevel,
});

/** The value of each environment variable, without the undefined ones. */
const valuesOf = ({
  settings,
  stores,
  identity,
  publicUrl,
}: FunctionsProps): Record<EnvironmentVariable, string | undefined> => ({
  TABLE_NAME: stores.table.tableName,
  RATE_LIMIT_PER_HOUR: String(settings.rateLimitPerHour),
  RATE_LIMIT_PER_DAY: String(settings.rateLimitPerDay),
  OIDC_ISSUER: identity.issuer,
  OIDC_AUDIENCE: identity.audience,
  CONSOLE_CLIENT_ID: identity.consoleClientId,
  SIGN_IN_ORIGINS: identity.signInOrigins.join(' '),
  PAYLOAD_BUCKET: stores.bucket.bucketName,
  CONVERSATION_RETENTION_DAYS: settings.conversationRetentionDays?.toString(),
  PLAN_QUEUE_URL: stores.queues.plan.queueUrl,
  RUNS_QUEUE_URL: stores.queues.runs.queueUrl,
  AGENTS_QUEUE_URL: stores.queues.agents.queueUrl,
  AGENTS_TENANT_PLACES: String(tenantPlaces(queues.agents, settings.env)),
  DELIVERIES_TENANT_PLACES: String(tenantPlaces(queues.deliveries, settings.env)),
  TELEMETRY_TENANT_PLACES: String(tenantPlaces(queues.telemetry, settings.env)),
  TENANT_OPEN_REQUESTS: String(settings.openRequestsPerTenant),
  WAKES_QUEUE_URL: stores.queues.wakes.queueUrl,
  WAKES_QUEUE_ARN: stores.queues.wakes.queueArn,
  DELIVERIES_QUEUE_URL: stores.queues.deliveries.queueUrl,
  TELEMETRY_QUEUE_URL: stores.queues.telemetry.queueUrl,
  OTEL_EXPORTER_OTLP_ENDPOINT: settings.otlpEndpoint,
  SERVICE_VERSION: manifest.version,
  DEPLOYMENT_ENVIRONMENT: settings.env,
  CLEANUP_QUEUE_URL: stores.queues.cleanup.queueUrl,
  MIGRATIONS_QUEUE_URL: stores.queues.migrations.queueUrl,
  SCHEDULE_GROUP: stores.wakeSchedules.ref,
  SCHEDULER_ROLE_ARN: stores.schedulerRole.roleArn,
  SCHEDULES_GROUP: stores.schedules.ref,
  SCHEDULES_QUEUE_ARN: stores.queues.schedules.queueArn,
  SCHEDULES_ROLE_ARN: stores.schedulesRole.roleArn,
  SCHEDULES_DEAD_LETTERS_ARN: stores.deadLetters.schedules.queueArn,
  EVENT_BUS: stores.eventBus.eventBusName,
  ASSET_BUCKET: stores.assets.bucket.bucketName,
  PUBLIC_ASSETS_URL: stores.assets.publicUrl ?? `${publicUrl}${publicFilesPath}`,
  VECTOR_BUCKET: stores.vectorBucketName,
  SECRETS_PREFIX: stores.secretsPrefix,
  TEST_KEYS_KMS_KEY: stores.testKeysKey.keyArn,
  PROVIDER_KEYS_SECRET: stores.providerKeys.secretArn,
  ALERT_EMAIL_SENDER: alertSender(settings),
  BEDROCK_REGION: settings.bedrockRegion,
  PUBLIC_URL: publicUrl,
  CORS_ORIGINS: settings.corsOrigins.join(' ') || undefined,
  STATIC_FILES: staticFilesFolder,
});

/** The service's own emails come from the first address, or an address of the first domain, that may send. */
function alertSender({ sesIdentities: [first] }: Settings): string | undefined {
  return first === undefined || first.includes('@') ? first : `alerts@${first}`;
}

function environmentOf(uses: readonly Use[], props: FunctionsProps): Record<string, string> {
  const values = valuesOf(props);
  const names = new Set(uses.flatMap((use): readonly EnvironmentVariable[] => useVariables[use]));
  return Object.fromEntries(
    [...names].flatMap((name) => {
      const value = values[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}
