import type { APIGatewayRequestAuthorizerEvent } from 'aws-lambda';
import { generateKeyPair, SignJWT } from 'jose';
import { expect, test } from 'vitest';
import { handler } from '../../functions/authorizer.ts';
import { newKey } from '../support/keys.ts';
import { newTenant } from '../support/stack.ts';

const ask = (authorization: string, more: Partial<APIGatewayRequestAuthorizerEvent> = {}) => {
  const event: Partial<APIGatewayRequestAuthorizerEvent> = {
    methodArn: 'arn:aws:execute-api:us-east-1:1:api/dev/GET/v1/flows',
    headers: { authorization },
    ...more,
  };
  return handler(event as APIGatewayRequestAuthorizerEvent);
};

const principalOf = async (answer: ReturnType<typeof handler>) =>
  JSON.parse(String((await answer).context?.principal));

test('a key speaks for its tenant, for any route of the stage, and brings no permissions of its own', async () => {
  const tenant = await newTenant();
  const { id, key } = await newKey(tenant, { permissions: ['*'], environment: 'production' });
  const { policyDocument } = await ask(`Bearer ${key}`);
  expect(policyDocument.Statement).toEqual([
    { Action: 'execute-api:Invoke', Effect: 'Allow', Resource: 'arn:aws:execute-api:us-east-1:1:api/dev/*' },
  ]);
  const expected = { kind: 'key', tenant: tenant.tenant, userId: tenant.userId, keyId: id, permissions: [] };
  expect(await principalOf(ask(`Bearer ${key}`))).toMatchObject(expected);
});

test('a session speaks for its organization where it has one, with the permissions of its claims', async () => {
  const organizationId = `org ${crypto.randomUUID()}`;
  const { token } = await newTenant({ organizationId, permissions: ['FLOWS:READ'] });
  expect(await principalOf(ask(`Bearer ${token}`))).toMatchObject({
    kind: 'session',
    tenant: `org:${encodeURIComponent(organizationId)}`,
    permissions: ['FLOWS:READ'],
  });
});

test('a token that another signed, an expired or a changed one, and two headers are refused', async () => {
  const { token } = await newTenant();
  const { privateKey } = await generateKeyPair('ES256');
  const forged = await new SignJWT({})
    .setProtectedHeader({ alg: 'ES256' })
    .setIssuer(String(process.env.OIDC_ISSUER))
    .setAudience('local')
    .setSubject('x')
    .setExpirationTime('1h')
    .sign(privateKey);
  for (const bad of [forged, `${token.slice(0, -4)}AAAA`, 'a.b.c', '']) {
    await expect(ask(`Bearer ${bad}`)).rejects.toThrow('Unauthorized');
  }
  await expect(
    ask(`Bearer ${token}`, { multiValueHeaders: { Authorization: [`Bearer ${token}`, 'Bearer x'] } }),
  ).rejects.toThrow('Unauthorized');
});
