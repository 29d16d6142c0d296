import { randomInt } from 'node:crypto';
import { expect, expectTypeOf, test } from 'vitest';
import * as z from 'zod';
import { newId } from '../../../../shared/core/ids.ts';
import { signatureOrCredential } from '../../../../shared/platform/auth/optional-credential.ts';
import { using } from '../../../../shared/platform/aws/uses.ts';
import type { Scope } from '../../../../shared/platform/data/scope.ts';
import { defineEndpoint } from '../../../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../../../shared/platform/http/lambda/lambda.ts';
import { openApi } from '../../../../shared/platform/http/openapi.ts';
import type { Principal } from '../../../../shared/platform/identity/principal.ts';
import { invokeWith } from '../../../support/stack/invoke.ts';
import { countingRuntime } from '../../../support/stack/stack.ts';

const tenantName = using([], ({ table }: Scope) => table.tenant);

/** An endpoint where the signature `right` belongs to a tenant. */
function hookOf(perHour: number) {
  const checked: string[] = [];
  const runtime = countingRuntime();
  const endpoint = defineEndpoint({
    id: 'hook.receive',
    method: 'POST',
    path: '/v1/hook/{name}',
    permission: 'public',
    scope: signatureOrCredential({
      uses: ['table:read'],
      accepts: [],
      limits: { perHour, perDay: 1_000 },
      isSigned: ({ headers }) => headers['x-signature'] !== undefined,
      countedFor: ({ pathParameters }) => `Hook ${pathParameters?.name}`,
      async signerOf({ headers }, { scopeOf }) {
        checked.push(headers['x-signature'] ?? '');
        return headers['x-signature'] === 'right' ? scopeOf('the-signer') : undefined;
      },
    }),
    summary: 'A hook',
    params: z.object({ name: z.string() }),
    body: z.object({}),
    response: { kind: 'json', bodies: { 200: z.object({ tenant: z.string(), isSigned: z.boolean() }) } },
    errors: [400],
    needs: { tenantName },
    handle: ({ principal }, needs) => {
      expectTypeOf(principal).toEqualTypeOf<Principal | undefined>();
      expectTypeOf(needs.tenantName).toEqualTypeOf<string>();
      return { tenant: needs.tenantName, isSigned: principal === undefined };
    },
  });
  const invoke = invokeWith(
    toLambda(endpoint, () => runtime),
    {},
  );
  const call = async (headers: Record<string, string>, { name = newId('key'), from = newAddress() } = {}) => {
    const answer = await invoke({
      httpMethod: 'POST',
      pathParameters: { name },
      body: '{}',
      headers: { 'Content-Type': 'application/json', ...headers },
      requestContext: { requestId: 'test', identity: { sourceIp: from } } as never,
    });
    return { status: answer.statusCode, body: JSON.parse(answer.body), headers: answer.headers };
  };
  return { endpoint, call, checked };
}

const group = () => randomInt(1, 0xffff).toString(16);
const newAddress = () => `2001:db8:${group()}:${group()}::1`;

test('a valid signature leads to the tenant of the signer, without a principal', async () => {
  const { call } = hookOf(10);
  expect(await call({ 'X-Signature': 'right' })).toMatchObject({
    status: 200,
    body: { tenant: 'the-signer', isSigned: true },
    headers: { 'X-RateLimit-Limit': '10', 'X-RateLimit-Remaining': '9' },
  });
  const withHeader = { 'X-Signature': 'right', Authorization: 'Bearer of-no-meaning' };
  expect((await call(withHeader)).body.isSigned).toBe(true);
});

test('without a valid signature or a valid credential no handler runs', async () => {
  const { call } = hookOf(10);
  for (const headers of [
    {},
    { 'X-Signature': 'wrong' },
    { Authorization: 'Bearer of-no-meaning' },
    { 'X-Signature': 'wrong', Authorization: 'Bearer of-no-meaning' },
  ]) {
    expect(await call(headers)).toMatchObject({ status: 401, body: { error: 'Unauthorized' } });
  }
});

test('requests that claim a signature are counted per name and network, and above the limit not checked', async () => {
  const { call, checked } = hookOf(2);
  const place = { name: newId('key'), from: newAddress() };
  const statuses = [];
  for (const signature of ['wrong', 'right', 'right']) {
    statuses.push((await call({ 'X-Signature': signature }, place)).status);
  }
  expect(statuses).toEqual([401, 200, 429]);
  expect(checked).toEqual(['wrong', 'right']);
  expect((await call({ 'X-Signature': 'right' }, { ...place, from: newAddress() })).status).toBe(200);
  expect((await call({ 'X-Signature': 'right' }, { ...place, name: newId('key') })).status).toBe(200);
});

test('the API document says that the credential is optional, and lists 401 and 403', () => {
  const { endpoint } = hookOf(1);
  const { paths } = openApi({ hook: { description: 'Hooks.', endpoints: [endpoint] } });
  const operation = (paths['/v1/hook/{name}'] as Record<string, { security: object; responses: object }>)
    .post;
  expect(operation?.security).toEqual([{}, { bearer: [] }]);
  expect(Object.keys(operation?.responses ?? {})).toEqual(expect.arrayContaining(['401', '403', '429']));
});
