import type { APIGatewayProxyEvent, APIGatewayRequestAuthorizerEvent } from 'aws-lambda';
import { generateKeyPair, SignJWT } from 'jose';
import { expect, test, vi } from 'vitest';
import { handler } from '../../functions/authorizer.ts';
import { makeAuthorizer } from '../../infra/local/gateway/gateway.ts';
import { generateKey, hashKey } from '../../shared/platform/auth/key-format.ts';
import { DocumentClient } from '../../shared/platform/data/requests/document-client.ts';
import { newKey } from '../support/stack/keys.ts';
import { newTenant } from '../support/stack/stack.ts';
import { setupLink } from '../support/surfaces/setup-links.ts';

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

test('a key authenticates as its tenant for any route of the stage, and its policy carries no permissions', async () => {
  const tenant = await newTenant();
  const { id, key } = await newKey(tenant, { permissions: ['*'], environment: 'production' });
  const { policyDocument } = await ask(`Bearer ${key}`);
  expect(policyDocument.Statement).toEqual([
    { Action: 'execute-api:Invoke', Effect: 'Allow', Resource: 'arn:aws:execute-api:us-east-1:1:api/dev/*' },
  ]);
  const expected = { kind: 'key', tenant: tenant.tenant, userId: tenant.userId, keyId: id, permissions: [] };
  expect(await principalOf(ask(`Bearer ${key}`))).toMatchObject(expected);
});

test('a setup link’s token authenticates as a setup link of its creator', async () => {
  const tenant = await newTenant({ organizationId: `org ${crypto.randomUUID()}` });
  const { token } = await setupLink(tenant, ['KEY']);
  expect(await principalOf(ask(`Bearer ${token}`))).toEqual({
    kind: 'intake',
    tenant: tenant.tenant,
    userId: tenant.userId,
    organizationId: tenant.organizationId,
    environment: 'production',
    keyId: expect.stringMatching(/^setup_/),
    hash: hashKey(token),
    permissions: [],
  });
});

test('a session authenticates as its organization if it has one, with the permissions of its claims', async () => {
  const organizationId = `org ${crypto.randomUUID()}`;
  const { token } = await newTenant({ organizationId, permissions: ['FLOWS:READ'] });
  expect(await principalOf(ask(`Bearer ${token}`))).toMatchObject({
    kind: 'session',
    tenant: `org:${encodeURIComponent(organizationId)}`,
    permissions: ['FLOWS:READ'],
  });
});

/** What the table is asked while something is done. */
async function askedOfTable(work: () => Promise<unknown>) {
  const send = vi.spyOn(DocumentClient.prototype, 'send');
  await work();
  const asked = send.mock.calls.map(([command]) => [command.constructor.name, command.input] as const);
  send.mockRestore();
  return asked;
}

const denial = {
  principalId: 'nobody',
  policyDocument: {
    Version: '2012-10-17',
    Statement: [
      { Action: 'execute-api:Invoke', Effect: 'Deny', Resource: 'arn:aws:execute-api:us-east-1:1:api/dev/*' },
    ],
  },
};

async function forgedToken(claims: object = {}) {
  const { privateKey } = await generateKeyPair('ES256');
  return new SignJWT({ ...claims })
    .setProtectedHeader({ alg: 'ES256' })
    .setIssuer(String(process.env.OIDC_ISSUER))
    .setAudience('local')
    .setSubject('x')
    .setExpirationTime('1h')
    .sign(privateKey);
}

test('a credential that can never become valid gets a deny policy, which API Gateway caches, without a table read', async () => {
  const { token } = await newTenant();
  const bad = [await forgedToken(), `${token.slice(0, -4)}AAAA`, 'a.b.c', '', 'tv_live_x'];
  const asked = await askedOfTable(async () => {
    for (const credential of bad) expect(await ask(`Bearer ${credential}`)).toEqual(denial);
  });
  expect(asked).toEqual([]);
});

test('looking up a valid and an invalid key sends the same strongly consistent request', async () => {
  const { key } = await newKey(await newTenant());
  const wrong = generateKey('production');
  const request = (value: string) => [
    'GetCommand',
    {
      TableName: process.env.TABLE_NAME,
      Key: { PK: `CREDENTIAL#${hashKey(value)}`, SK: 'CREDENTIAL' },
      // A key that is sent as soon as it was made must not be refused for a minute.
      ConsistentRead: true,
    },
  ];
  expect(await askedOfTable(() => ask(`Bearer ${key}`))).toEqual([request(key)]);
  const refusal = async () => expect(await ask(`Bearer ${wrong}`)).toEqual(denial);
  expect(await askedOfTable(refusal)).toEqual([request(wrong)]);
});

test('a request with two credential headers gets an uncached rejection, because API Gateway would cache it for one of them', async () => {
  const { token } = await newTenant();
  const Authorization = [`Bearer ${token}`, 'Bearer x'];
  await expect(ask(`Bearer ${token}`, { multiValueHeaders: { Authorization } })).rejects.toThrow(
    'Unauthorized',
  );
});

test('a repeated bad credential costs one Lambda invocation and one table read a minute', async () => {
  let invocations = 0;
  const authorize = makeAuthorizer((event) => {
    invocations++;
    return handler(event);
  });
  const send = (authorization: string) => authorize(proxyEvent(authorization));
  for (const [credential, reads] of [
    [generateKey('production'), 1],
    [generateKey('test').slice(0, -1), 0],
    [await forgedToken(), 0],
  ] as const) {
    invocations = 0;
    const asked = await askedOfTable(async () => {
      for (let n = 0; n < 50; n++)
        expect(await send(`Bearer ${credential}`)).toEqual({ refusal: 'ACCESS_DENIED' });
    });
    expect({ invocations, reads: asked.length }).toEqual({ invocations: 1, reads });
  }
});

const proxyEvent = (authorization: string) =>
  ({
    httpMethod: 'GET',
    path: '/v1/flows',
    headers: { authorization },
    multiValueHeaders: { authorization: [authorization] },
    requestContext: {},
  }) as unknown as APIGatewayProxyEvent;
