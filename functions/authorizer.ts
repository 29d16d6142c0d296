import type { APIGatewayAuthorizerResult, APIGatewayRequestAuthorizerEvent } from 'aws-lambda';
import { credentialEntity } from '../shared/auth/api-key.ts';
import { hashKey, isWellFormedKey } from '../shared/auth/key-format.ts';
import { type Principal, tenantOf, toContext } from '../shared/auth/principal.ts';
import { InvalidSession, principalOfSession } from '../shared/auth/session.ts';
import { log } from '../shared/log.ts';
import { productionRuntime } from '../shared/runtime.ts';

const tokenBytesMax = 8_192;

/**
 * The Lambda authorizer: from the Authorization header to a principal. API Gateway keeps the answer for 60 s,
 * so nothing that must bite at once is decided here (see the meter).
 */
export async function handler(event: APIGatewayRequestAuthorizerEvent): Promise<APIGatewayAuthorizerResult> {
  const principal = await resolve(bearerToken(event));
  if (!principal) throw new Error('Unauthorized');
  return {
    principalId: principal.userId,
    policyDocument: {
      Version: '2012-10-17',
      Statement: [{ Action: 'execute-api:Invoke', Effect: 'Allow', Resource: anyRoute(event.methodArn) }],
    },
    context: toContext(principal),
  };
}

function bearerToken({ headers, multiValueHeaders }: APIGatewayRequestAuthorizerEvent): string {
  const sent = Object.entries(multiValueHeaders ?? {})
    .filter(([name]) => name.toLowerCase() === 'authorization')
    .flatMap(([, values]) => values ?? []);
  const header = sent[0] ?? headers?.Authorization ?? headers?.authorization ?? '';
  const token = /^bearer +(\S+) *$/i.exec(header)?.[1] ?? '';
  return sent.length > 1 || token.length > tokenBytesMax ? '' : token;
}

async function resolve(token: string): Promise<Omit<Principal, 'sourceIp'> | undefined> {
  if (token.startsWith('tv_')) return isWellFormedKey(token) ? principalOfKey(hashKey(token)) : undefined;
  if (token.split('.').length !== 3) return;
  try {
    return await principalOfSession(token);
  } catch (error) {
    if (!(error instanceof InvalidSession)) throw error;
    log.info('A session token was refused', { reason: error.message });
    return undefined;
  }
}

async function principalOfKey(hash: string): Promise<Omit<Principal, 'sourceIp'> | undefined> {
  const { table } = productionRuntime().scopeOf('');
  const credential = await table.get(credentialEntity, { hash });
  if (!credential) return;
  const { keyId, userId, organizationId, environment } = credential;
  const tenant = tenantOf(userId, organizationId);
  return { kind: 'key', tenant, userId, organizationId, environment, keyId, hash, permissions: [] };
}

/** The answer is kept per credential, so it must hold for every route: `arn:…:api/stage/*`. */
const anyRoute = (methodArn: string) => methodArn.split('/').slice(0, 2).concat('*').join('/');
