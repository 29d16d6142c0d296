import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { loadOnce } from '../../core/concurrency/load-once.ts';

interface RoleCredentials {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string;
}

/** The SDK's own chain, which renews them before they end. This client is in every bundle. */
const chain = loadOnce(() => new DynamoDBClient({}).config.credentials);

/**
 * The credentials of the Lambda's role, for requests that the SDK does not sign. A function has them in its environment for as
 * long as its process lives; a process on an instance outlives them, and gets them from the endpoint that AWS_CONTAINER_CREDENTIALS_FULL_URI names.
 */
export async function readRoleCredentials(): Promise<RoleCredentials> {
  const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN } = process.env;
  if (AWS_ACCESS_KEY_ID && AWS_SECRET_ACCESS_KEY)
    return {
      accessKeyId: AWS_ACCESS_KEY_ID,
      secretAccessKey: AWS_SECRET_ACCESS_KEY,
      ...(AWS_SESSION_TOKEN && { sessionToken: AWS_SESSION_TOKEN }),
    };
  const { accessKeyId, secretAccessKey, sessionToken } = await chain()();
  return { accessKeyId, secretAccessKey, ...(sessionToken && { sessionToken }) };
}
