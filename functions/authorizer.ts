import type { APIGatewayAuthorizerResult, APIGatewayRequestAuthorizerEvent } from 'aws-lambda';
import { credentialEntity } from '../shared/auth/api-key.ts';
import { UntrustedToken } from '../shared/auth/issuer.ts';
import { hashKey, isIntakeToken, isWellFormedKey } from '../shared/auth/key-format.ts';
import { type Principal, tenantOf, toContext } from '../shared/auth/principal.ts';
import { principalOfSession } from '../shared/auth/session.ts';
import { intakeEntity } from '../shared/intake/intake.ts';
import { log } from '../shared/log.ts';
import { productionRuntime } from '../shared/runtime.ts';

const tokenBytesMax = 8_192;

/**
 * The Lambda authorizer: from the Authorization header to a principal. API Gateway keeps the answer for 60 s,
 * so nothing that must bite at once is decided here (see the meter). A refusal is a policy too, which API Gateway keeps,
 * so that a credential which never will be good does not cost us a Lambda each time. One that may be good in a moment
 * is refused by throwing, which is not kept.
 */
export async function handler(event: APIGatewayRequestAuthorizerEvent): Promise<APIGatewayAuthorizerResult> {
  const principal = await resolve(bearerToken(event));
  const Effect = principal ? 'Allow' : 'Deny';
  return {
    principalId: principal?.userId ?? 'nobody',
    policyDocument: {
      Version: '2012-10-17',
      Statement: [{ Action: 'execute-api:Invoke', Effect, Resource: anyRoute(event.methodArn) }],
    },
    ...(principal && { context: toContext(principal) }),
  };
}

/** These words make API Gateway answer 401. */
const refusedForNow = () => new Error('Unauthorized');

function bearerToken({ headers, multiValueHeaders }: APIGatewayRequestAuthorizerEvent): string {
  const sent = Object.entries(multiValueHeaders ?? {})
    .filter(([name]) => name.toLowerCase() === 'authorization')
    .flatMap(([, values]) => values ?? []);
  // Kept under one of them, which may be good by itself.
  if (sent.length > 1) throw refusedForNow();
  const header = sent[0] ?? headers?.Authorization ?? headers?.authorization ?? '';
  const token = /^bearer +(\S+) *$/i.exec(header)?.[1] ?? '';
  return token.length > tokenBytesMax ? '' : token;
}

async function resolve(token: string): Promise<Omit<Principal, 'sourceIp'> | undefined> {
  if (token.startsWith('tv_')) {
    if (!isWellFormedKey(token)) return;
    return isIntakeToken(token) ? principalOfIntake(hashKey(token)) : principalOfKey(hashKey(token));
  }
  if (token.split('.').length !== 3) return;
  try {
    return await principalOfSession(token);
  } catch (error) {
    if (!(error instanceof UntrustedToken)) throw error;
    log.info('A session token was refused', { reason: error.message });
    if (!error.forGood) throw refusedForNow();
    return undefined;
  }
}

/** As last written: what is not found is refused for a minute, and a key may be sent as soon as it is made. */
const asLastWritten = { consistent: true };

async function principalOfKey(hash: string): Promise<Omit<Principal, 'sourceIp'> | undefined> {
  const { table } = productionRuntime().scopeOf('');
  const credential = await table.get(credentialEntity, { hash }, asLastWritten);
  if (!credential) return;
  const { keyId, userId, organizationId, environment } = credential;
  const tenant = tenantOf(userId, organizationId);
  return { kind: 'key', tenant, userId, organizationId, environment, keyId, hash, permissions: [] };
}

/** The token of a setup link speaks for the one who made it, to the intake alone. */
async function principalOfIntake(hash: string): Promise<Omit<Principal, 'sourceIp'> | undefined> {
  const { table } = productionRuntime().scopeOf('');
  const intake = await table.get(intakeEntity, { hash }, asLastWritten);
  if (!intake) return;
  const { id: keyId, userId, organizationId } = intake;
  const tenant = tenantOf(userId, organizationId);
  const owner = { tenant, userId, organizationId };
  return { kind: 'intake', ...owner, environment: 'production', keyId, hash, permissions: [] };
}

/** The answer is kept per credential, so it must hold for every route: `arn:…:api/stage/*`. */
const anyRoute = (methodArn: string) => methodArn.split('/').slice(0, 2).concat('*').join('/');
