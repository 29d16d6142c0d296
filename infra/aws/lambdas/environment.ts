import { Stack } from 'aws-cdk-lib';
import { publicFilesPath } from '../../../functions/public/get-file.ts';
import manifest from '../../../package.json' with { type: 'json' };
import type { Use } from '../../../shared/platform/aws/uses.ts';
import { queues, tenantPlaces } from '../../resources.ts';
import { type EnvironmentVariable, useVariables } from '../../uses.ts';
import type { Settings } from '../conventions/settings.ts';
import { metricsNamespace } from '../monitoring/measurements.ts';
import type { Stores } from '../stores/stores.ts';
import { staticFilesFolder } from './bundles.ts';
import type { Identity } from './identity.ts';

export interface EnvironmentProps {
  settings: Settings;
  stores: Stores;
  identity: Identity;
  /** The base URL by which callers reach the API. */
  publicUrl: string;
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
}: EnvironmentProps): Record<EnvironmentVariable, string | undefined> => ({
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
  TENANT_MESSAGES_PER_HOUR: String(settings.messagesPerHour),
  TENANT_STRANGERS_PER_HOUR: String(settings.strangersPerHour),
  WAKES_QUEUE_URL: stores.queues.wakes.queueUrl,
  WAKES_QUEUE_ARN: stores.queues.wakes.queueArn,
  DELIVERIES_QUEUE_URL: stores.queues.deliveries.queueUrl,
  TELEMETRY_QUEUE_URL: stores.queues.telemetry.queueUrl,
  OTEL_EXPORTER_OTLP_ENDPOINT: settings.otlpEndpoint,
  SERVICE_VERSION: manifest.version,
  DEPLOYMENT_ENVIRONMENT: settings.env,
  JOBS_QUEUE_URL: stores.queues.jobs.queueUrl,
  JOBS_TENANT_PLACES: String(tenantPlaces(queues.jobs, settings.env)),
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
  UPLOADS_URL: `https://s3.${Stack.of(stores).region}.amazonaws.com/${stores.bucket.bucketName}/`,
});

/** The service's own emails come from the first address, or an address of the first domain, that may send. */
function alertSender({ sesIdentities: [first] }: Settings): string | undefined {
  return first === undefined || first.includes('@') ? first : `alerts@${first}`;
}

/** The environment variables of a Lambda with these uses. */
export function lambdaVariables(uses: readonly Use[], props: EnvironmentProps): Record<string, string> {
  const values = valuesOf(props);
  const names = new Set(uses.flatMap((use): readonly EnvironmentVariable[] => useVariables[use]));
  const entries = [...names].flatMap((name) => {
    const value = values[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { ...signalsOf(props.settings), ...Object.fromEntries(entries) };
}
