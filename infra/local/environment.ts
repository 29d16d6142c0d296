import { publicFilesPath } from '../../functions/public/get-file.ts';
import manifest from '../../package.json' with { type: 'json' };
import { queueArnEnv, queues as specs, tenantPlaces, tenantPlacesEnv } from '../resources.ts';
import { issuerPath } from './issuer.ts';
import type { LocalQueue } from './queues/queues.ts';
import { assetBucket, type Credentials, payloadBucket, region } from './runtime/account.ts';
import { heapMegabytes } from './runtime/memory.ts';
import { localAudience } from './runtime/session-tokens.ts';
import { kmsKeyArn } from './secrets-manager/kms.ts';
import type { StackFacts } from './stack.ts';

/** The name of the table, and of everything else that has one name. */
export const ownTable = 'agent-flow-service';
export const vectorBucket = 'vectors';
/** Of EventBridge Scheduler: for suspended runs, and for the schedules of surfaces. */
export const scheduleGroups = [ownTable, `${ownTable}-schedules`] as const;

/** Sets the environment variables that a deployed Lambda has, and the addresses of the local AWS servers for the SDK. */
export function setEnvironment(
  { url, localUrl, tableName }: { url: string; localUrl: string; tableName: string },
  aws: StackFacts['aws'],
  credentials: Credentials,
  queues: readonly LocalQueue[],
): void {
  delete process.env.AWS_SESSION_TOKEN;
  delete process.env.AWS_PROFILE;
  Object.assign(process.env, {
    AWS_REGION: region,
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    AWS_ENDPOINT_URL_DYNAMODB: aws.dynamodb,
    AWS_ENDPOINT_URL_SQS: aws.sqs,
    AWS_ENDPOINT_URL_S3: aws.s3,
    AWS_ENDPOINT_URL_S3VECTORS: aws.s3Vectors,
    AWS_ENDPOINT_URL_SECRETS_MANAGER: aws.secretsManager,
    AWS_ENDPOINT_URL_SCHEDULER: aws.scheduler,
    AWS_ENDPOINT_URL_SESV2: aws.ses,
    AWS_ENDPOINT_URL_SNS: aws.sns,
    AWS_ENDPOINT_URL_EVENTBRIDGE: aws.eventBridge,
    TABLE_NAME: tableName,
    PAYLOAD_BUCKET: payloadBucket,
    ASSET_BUCKET: assetBucket,
    PUBLIC_ASSETS_URL: `${process.env.PUBLIC_URL || url}${publicFilesPath}`,
    PUBLIC_ENDPOINT_URL_S3: process.env.PUBLIC_URL || url,
    UPLOADS_URL: `${process.env.PUBLIC_URL || url}/${payloadBucket}/`,
    VECTOR_BUCKET: vectorBucket,
    SECRETS_PREFIX: ownTable,
    AWS_ENDPOINT_URL_KMS: aws.kms,
    TEST_KEYS_KMS_KEY: kmsKeyArn,
    EVENT_BUS: ownTable,
    ALERT_EMAIL_SENDER: 'alerts@localhost',
    SERVICE_VERSION: manifest.version,
    DEPLOYMENT_ENVIRONMENT: process.env.DEPLOYMENT_ENVIRONMENT || 'local',
    PUBLIC_URL: process.env.PUBLIC_URL || url,
    OIDC_ISSUER: localUrl + issuerPath,
    OIDC_AUDIENCE: localAudience,
    SIGN_IN_ORIGINS: new URL(localUrl).origin,
    CONSOLE_CLIENT_ID: 'console',
    ALLOWED_HOSTS: process.env.LOCAL_ALLOWED_HOSTS ?? '',
    ALONE_SINCE: String(Date.now()),
    ...Object.fromEntries(
      [specs.agents, specs.deliveries, specs.telemetry, specs.jobs].map((spec) => [
        tenantPlacesEnv(spec),
        String(tenantPlaces(spec, 'local')),
      ]),
    ),
    TENANT_OPEN_REQUESTS: process.env.TENANT_OPEN_REQUESTS || '50',
    SANDBOX_HEAP_MB: String(heapMegabytes.sandbox()),
    TENANT_MESSAGES_PER_HOUR: process.env.TENANT_MESSAGES_PER_HOUR || '500',
    TENANT_STRANGERS_PER_HOUR: process.env.TENANT_STRANGERS_PER_HOUR || '50',
    SCHEDULE_GROUP: scheduleGroups[0],
    SCHEDULER_ROLE_ARN: 'arn:aws:iam::000000000000:role/scheduler',
    SCHEDULES_GROUP: scheduleGroups[1],
    SCHEDULES_ROLE_ARN: 'arn:aws:iam::000000000000:role/schedules',
    SCHEDULES_DEAD_LETTERS_ARN: queues.find(({ name }) => name === 'schedules')?.deadLetter.arn,
    ...Object.fromEntries(
      queues.flatMap(({ spec, url, arn }) => [
        [spec.env, url],
        [queueArnEnv(spec), arn],
      ]),
    ),
  });
}
