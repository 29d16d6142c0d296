import type { APIGatewayProxyEvent } from 'aws-lambda';
import { log } from '../../core/log.ts';
import { type Principal, tenantOf } from '../identity/principal.ts';
import { productionRuntime } from '../runtime.ts';
import { credentialEntity } from './api-key.ts';
import { UntrustedToken } from './issuer.ts';
import { hashKey, isIntakeToken, isWellFormedKey } from './key-format.ts';
import { principalOfSession } from './session.ts';
import { intakeEntity } from './setup-link.ts';

const tokenBytesMax = 8_192;

/** What of a request tells its caller. API Gateway leaves out what was not sent. */
export type RequestHeaders = {
  [Name in 'headers' | 'multiValueHeaders']?: APIGatewayProxyEvent[Name] | null;
};
/** A principal as its credential alone tells it. */
export type Caller = Omit<Principal, 'sourceIp'>;

/** The credential is refused now and may be good in a moment. API Gateway answers 401 to an authorizer with this message. */
export class RefusedForNow extends Error {
  constructor() {
    super('Unauthorized');
  }
}

/** Whether a request carries any credential, good or bad. */
export const hasCredential = (request: RequestHeaders) => authorizationsOf(request).length > 0;

/** Whom the credential of a request speaks for; nobody where it never will be good. @throws RefusedForNow */
export async function callerOf(request: RequestHeaders): Promise<Caller | undefined> {
  const token = bearerToken(request);
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
    if (!error.forGood) throw new RefusedForNow();
    return undefined;
  }
}

function bearerToken(request: RequestHeaders): string {
  const [header = '', ...others] = authorizationsOf(request);
  // The authorizer's answer is cached under one of them, which may be good by itself.
  if (others.length > 0) throw new RefusedForNow();
  const token = /^bearer +(\S+) *$/i.exec(header)?.[1] ?? '';
  return token.length > tokenBytesMax ? '' : token;
}

function authorizationsOf({ headers, multiValueHeaders }: RequestHeaders): string[] {
  const sent = <Value>(of: Record<string, Value> | null | undefined) =>
    Object.entries(of ?? {}).flatMap(([name, value]) =>
      name.toLowerCase() === 'authorization' ? [value] : [],
    );
  const all = sent(multiValueHeaders).flatMap((values) => values ?? []);
  return all.length > 0 ? all : sent(headers).flatMap((value) => value ?? []);
}

/** As last written: what is not found is refused for a minute, and a key may be sent as soon as it is made. */
const asLastWritten = { consistent: true };

async function principalOfKey(hash: string): Promise<Caller | undefined> {
  const { table } = productionRuntime().scopeOf('');
  const credential = await table.get(credentialEntity, { hash }, asLastWritten);
  if (!credential) return;
  const { keyId, userId, organizationId, environment } = credential;
  const tenant = tenantOf(userId, organizationId);
  return { kind: 'key', tenant, userId, organizationId, environment, keyId, hash, permissions: [] };
}

/** The token of a setup link speaks for the one who made it, to the intake alone. */
async function principalOfIntake(hash: string): Promise<Caller | undefined> {
  const { table } = productionRuntime().scopeOf('');
  const intake = await table.get(intakeEntity, { hash }, asLastWritten);
  if (!intake) return;
  const { id: keyId, userId, organizationId } = intake;
  const tenant = tenantOf(userId, organizationId);
  const owner = { tenant, userId, organizationId };
  return { kind: 'intake', ...owner, environment: 'production', keyId, hash, permissions: [] };
}
