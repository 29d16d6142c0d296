import { audience, issuerPath } from './issuer.ts';
import { type LocalQueue, payloadBucket, region } from './queues.ts';
import type { StackFacts } from './stack.ts';

export const tableName = 'agent-flow-service';

/** What a deployment gives its Lambdas, and the endpoints, which the SDK reads by itself. */
export function setEnvironment(url: string, aws: StackFacts['aws'], queues: readonly LocalQueue[]): void {
  delete process.env.AWS_SESSION_TOKEN;
  delete process.env.AWS_PROFILE;
  Object.assign(process.env, {
    AWS_REGION: region,
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
    AWS_ENDPOINT_URL_DYNAMODB: aws.dynamodb,
    AWS_ENDPOINT_URL_SQS: aws.sqs,
    AWS_ENDPOINT_URL_S3: aws.s3,
    AWS_ENDPOINT_URL_SECRETS_MANAGER: aws.secretsManager,
    TABLE_NAME: tableName,
    PAYLOAD_BUCKET: payloadBucket,
    SECRETS_PREFIX: tableName,
    OIDC_ISSUER: url + issuerPath,
    OIDC_AUDIENCE: audience,
    ALLOWED_HOSTS: process.env.LOCAL_ALLOWED_HOSTS ?? '',
    ...Object.fromEntries(queues.map(({ spec, url }) => [spec.env, url])),
  });
}
