import type { Use } from '../shared/platform/aws/uses.ts';
import { queueArnEnv, queues, tenantPlacesEnv } from './resources.ts';

const table = ['TABLE_NAME'] as const;
const limits = ['RATE_LIMIT_PER_HOUR', 'RATE_LIMIT_PER_DAY'] as const;

/** The environment variables of each use. */
export const useVariables = {
  'table:read': table,
  'table:write': table,
  'table:delete': table,
  'table:walk': table,
  'rate-limits': [...table, ...limits],
  'default-limits': limits,
  credentials: [...table, 'OIDC_ISSUER', 'OIDC_AUDIENCE'],
  'sign-in': ['OIDC_ISSUER', 'OIDC_AUDIENCE', 'CONSOLE_CLIENT_ID'],
  'payloads:read': ['PAYLOAD_BUCKET'],
  'payloads:write': ['PAYLOAD_BUCKET'],
  'payloads:delete': ['PAYLOAD_BUCKET'],
  'payloads:list': ['PAYLOAD_BUCKET'],
  'conversation-retention': ['CONVERSATION_RETENTION_DAYS'],
  'queue:plan': [queues.plan.env],
  'queue:runs': [queues.runs.env],
  'queue:runs:release': [queues.runs.env],
  'queue:wakes': [queues.wakes.env, queueArnEnv(queues.wakes), 'SCHEDULE_GROUP', 'SCHEDULER_ROLE_ARN'],
  'queue:agents': [queues.agents.env],
  'places:agents': [tenantPlacesEnv(queues.agents)],
  'places:deliveries': [tenantPlacesEnv(queues.deliveries)],
  'places:telemetry': [tenantPlacesEnv(queues.telemetry)],
  'places:jobs': [tenantPlacesEnv(queues.jobs)],
  'open-requests': [...table, 'TENANT_OPEN_REQUESTS'],
  schedules: [
    queueArnEnv(queues.schedules),
    ...(['SCHEDULES_GROUP', 'SCHEDULES_ROLE_ARN', 'SCHEDULES_DEAD_LETTERS_ARN'] as const),
  ],
  'queue:deliveries': [queues.deliveries.env],
  'queue:telemetry': [queues.telemetry.env],
  'deployment-collector': ['OTEL_EXPORTER_OTLP_ENDPOINT'],
  'telemetry-resource': ['SERVICE_VERSION', 'DEPLOYMENT_ENVIRONMENT'],
  'queue:cleanup': [queues.cleanup.env],
  'queue:jobs': [queues.jobs.env],
  'queue:migrations': [queues.migrations.env],
  messages: ['EVENT_BUS'],
  'message-limits': ['TENANT_MESSAGES_PER_HOUR', 'TENANT_STRANGERS_PER_HOUR'],
  assets: ['ASSET_BUCKET', 'PUBLIC_ASSETS_URL'],
  'assets:public': ['ASSET_BUCKET'],
  vectors: ['VECTOR_BUCKET'],
  'vectors:find': ['VECTOR_BUCKET'],
  'test-keys': ['TEST_KEYS_KMS_KEY'],
  'test-keys:write': ['TEST_KEYS_KMS_KEY'],
  'test-keys:former': ['SECRETS_PREFIX'],
  'test-keys:restore': ['SECRETS_PREFIX'],
  'push-secrets:read': ['TEST_KEYS_KMS_KEY'],
  'push-secrets:write': ['TEST_KEYS_KMS_KEY'],
  'mcp-connections:read': ['TEST_KEYS_KMS_KEY'],
  'mcp-connections:write': ['TEST_KEYS_KMS_KEY'],
  'run-values': ['TEST_KEYS_KMS_KEY'],
  'budget-secrets:read': ['TEST_KEYS_KMS_KEY'],
  'budget-secrets:write': ['TEST_KEYS_KMS_KEY'],
  'alert-emails': ['ALERT_EMAIL_SENDER'],
  'telemetry-secrets:read': ['TEST_KEYS_KMS_KEY'],
  'telemetry-secrets:write': ['TEST_KEYS_KMS_KEY'],
  'secrets:read': ['SECRETS_PREFIX'],
  'secrets:write': ['SECRETS_PREFIX'],
  'provider-keys': ['PROVIDER_KEYS_SECRET', 'BEDROCK_REGION'],
  bedrock: [],
  'own-keys:read': ['SECRETS_PREFIX'],
  'own-keys:write': ['SECRETS_PREFIX'],
  'agent-credentials:read': ['SECRETS_PREFIX'],
  'agent-credentials:write': ['SECRETS_PREFIX'],
  'surface-secrets:read': ['SECRETS_PREFIX'],
  'surface-secrets:write': ['SECRETS_PREFIX'],
  'surface-secrets:delete': ['SECRETS_PREFIX'],
  'public-url': ['PUBLIC_URL'],
  cors: ['CORS_ORIGINS'],
  'static-files': ['STATIC_FILES', 'SIGN_IN_ORIGINS', 'UPLOADS_URL'],
} as const satisfies Record<Use, readonly string[]>;

export type EnvironmentVariable = (typeof useVariables)[Use][number];

const reading = ['dynamodb:GetItem', 'dynamodb:BatchGetItem', 'dynamodb:Query'];
const writing = ['dynamodb:PutItem', 'dynamodb:UpdateItem', 'dynamodb:ConditionCheckItem'];

/** The table actions that each use allows. */
export const tableActions = {
  'table:read': reading,
  'table:write': [...reading, ...writing],
  'table:delete': ['dynamodb:DeleteItem', 'dynamodb:BatchWriteItem'],
  'table:walk': ['dynamodb:Scan'],
  'rate-limits': ['dynamodb:UpdateItem'],
  'open-requests': ['dynamodb:UpdateItem', 'dynamodb:Query'],
  credentials: reading,
} as const satisfies { [U in Use]?: readonly string[] };

/** The actions on the payload bucket that each use allows. */
export const payloadActions = {
  // A version too: what an import reads is pinned when it starts.
  'payloads:read': ['s3:GetObject', 's3:GetObjectVersion'],
  // Parts of an upload are listed before they are put together.
  'payloads:write': ['s3:PutObject', 's3:ListMultipartUploadParts'],
  'payloads:delete': ['s3:DeleteObject', 's3:AbortMultipartUpload'],
  'payloads:list': ['s3:ListBucket'],
} as const satisfies { [U in Use]?: readonly string[] };
