import { createHash, randomBytes } from 'node:crypto';
import { expectStatus } from '../flows/flows.ts';
import { call, type Tenant } from '../stack/stack.ts';

export const loginsPath = '/v1/api-keys/command-line-logins';
export const redeemPath = '/v1/public/command-line-logins';

/** A code verifier and its challenge, as RFC 7636 computes it. */
export function newProof() {
  const codeVerifier = randomBytes(32).toString('base64url');
  return { codeVerifier, challenge: createHash('sha256').update(codeVerifier).digest('base64url') };
}

export const loginBody = (challenge: string, more: object = {}) => ({
  challenge,
  host: 'laptop',
  permissions: ['FLOWS:READ'],
  ...more,
});

/** A login that a person allowed. @returns what the program sends for its key */
export async function allowedLogin(tenant: Tenant, more: object = {}) {
  const { codeVerifier, challenge } = newProof();
  const body = loginBody(challenge, more);
  const { code, expiresAt } = await expectStatus(201, tenant.call('POST', loginsPath, { body }));
  return { code: code as string, codeVerifier, expiresAt: expiresAt as string };
}

export const sendRedemption = ({ code, codeVerifier }: { code: string; codeVerifier: string }) =>
  call('POST', redeemPath, { body: { code, codeVerifier } });
