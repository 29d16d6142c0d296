import { randomUUID } from 'node:crypto';
import { createApiKey } from '../../functions/api-keys/create.ts';
import { type Principal, toContext, toTenant } from '../../shared/platform/identity/principal.ts';
import type { EnvironmentName } from '../environments.ts';
import { OperationError } from './deployment/operation.ts';
import { invokeLambda } from './invoke-lambda.ts';
import type { User } from './users.ts';

/**
 * Creates an API key for a user without a session: invokes the endpoint's Lambda directly, with the principal that the
 * authorizer would add. This needs `lambda:InvokeFunction` on that Lambda, which only operators have.
 * @returns the key. @throws OperationError
 */
export async function createFirstKey(
  env: EnvironmentName,
  user: User,
  body: { name: string; permissions: readonly string[] },
): Promise<string> {
  const result = await invokeLambda(env, createApiKey.id, eventOf(user, body));
  if (result.statusCode !== 201)
    throw new OperationError(`The key was not created: ${result.body ?? result.errorMessage}`);
  return JSON.parse(result.body).plainKey;
}

function eventOf({ userId, organizationId }: User, body: object) {
  const principal: Omit<Principal, 'sourceIp'> = {
    kind: 'session',
    tenant: toTenant(userId, organizationId),
    userId,
    organizationId,
    environment: 'production',
    keyId: null,
    hash: null,
    permissions: ['*'],
  };
  const { method, path } = createApiKey;
  return {
    httpMethod: method,
    path,
    resource: path,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    isBase64Encoded: false,
    requestContext: { requestId: randomUUID(), authorizer: toContext(principal), path, identity: {} },
  };
}

/** Calls the API with a key. @returns why it fails, or `undefined`. */
export async function keyWorks(url: string, plainKey: string): Promise<string | undefined> {
  try {
    const { status } = await fetch(`${url}/v1/usage-limits`, {
      headers: { authorization: `Bearer ${plainKey}` },
      signal: AbortSignal.timeout(30_000),
    });
    return status === 200 ? undefined : `status ${status}`;
  } catch (error) {
    return String((error as Error).cause ?? error);
  }
}
