import { Readable } from 'node:stream';
import { expect, expectTypeOf, test } from 'vitest';
import * as z from 'zod';
import { optionalCredential } from '../../../../shared/platform/auth/optional-credential.ts';
import { using } from '../../../../shared/platform/aws/uses.ts';
import type { Scope } from '../../../../shared/platform/data/scope.ts';
import { defineEndpoint } from '../../../../shared/platform/http/endpoint.ts';
import { toProxyResult } from '../../../../shared/platform/http/lambda/proxy-result.ts';
import { type EndpointResponse, isStreamed } from '../../../../shared/platform/http/responses/response.ts';
import type { Principal } from '../../../../shared/platform/identity/principal.ts';

const base = { id: 'test.get', method: 'GET', path: '/v1/test', summary: 'A test' } as const;
const guarded = { ...base, permission: 'authenticated', needs: {} } as const;
const One = z.object({ one: z.number() });
const json = { kind: 'json', bodies: { 200: One, 204: z.void() } } as const;
const live = { contentType: 'text/csv', stream: Readable.from(['a']) };

test('the declared response determines the handler’s return type', () => {
  const response = { kind: 'json', bodies: { 200: One } } as const;
  defineEndpoint({ ...guarded, response, handle: () => ({ one: 1 }) });
  // @ts-expect-error: another body
  defineEndpoint({ ...guarded, response, handle: () => ({ one: '1' }) });
  defineEndpoint({ ...guarded, response: json, handle: () => ({ status: 204, body: undefined }) });
  // @ts-expect-error: of several statuses none is named
  defineEndpoint({ ...guarded, response: json, handle: () => ({ one: 1 }) });
  const redirect = { kind: 'redirect', maxAgeSeconds: 60 } as const;
  defineEndpoint({ ...guarded, response: redirect, handle: () => 'https://example.com' });
  // @ts-expect-error: no address
  defineEndpoint({ ...guarded, response: redirect, handle: () => ({}) });
  defineEndpoint({ ...guarded, response: { kind: 'sse', events: One }, handle: () => live });
  // @ts-expect-error: a whole body in place of a live one
  defineEndpoint({ ...guarded, response: { kind: 'sse', events: One }, handle: () => ({ one: 1 }) });
});

test('the scope determines the handler’s principal and the needs it receives', () => {
  const clock = using([], (_scope: Scope) => 1);
  const response = { kind: 'json', bodies: { 200: z.void() } } as const;
  const needs = { clock };
  defineEndpoint({
    ...base,
    permission: 'authenticated',
    response,
    needs,
    handle: ({ principal }, given) => {
      expectTypeOf(principal).toEqualTypeOf<Principal>();
      expectTypeOf(given.clock).toEqualTypeOf<number>();
    },
  });
  defineEndpoint({
    ...base,
    permission: 'public',
    scope: optionalCredential,
    response,
    needs,
    handle: ({ principal }, given) => {
      expectTypeOf(principal).toEqualTypeOf<Principal | undefined>();
      expectTypeOf(given?.clock).toEqualTypeOf<number | undefined>();
    },
  });
  defineEndpoint({
    ...base,
    permission: 'public',
    scope: 'none',
    response,
    needs: {},
    handle: ({ principal }, given) => {
      expectTypeOf(principal).toEqualTypeOf<undefined>();
      expectTypeOf(given).toEqualTypeOf<undefined>();
    },
  });
  const handle = () => undefined;
  // @ts-expect-error: needs without a tenant
  defineEndpoint({ ...base, permission: 'public', scope: 'none', response, needs, handle });
  // @ts-expect-error: public without a scope
  defineEndpoint({ ...base, permission: 'public', response, needs: {}, handle });
  // @ts-expect-error: a scope of its own beside a permission
  defineEndpoint({ ...base, permission: 'FLOWS:READ', scope: 'none', response, needs: {}, handle });
});

test.each<[EndpointResponse['kind'], EndpointResponse, unknown, object]>([
  [
    'json',
    { kind: 'json', bodies: { 201: One } },
    { one: 1, two: 2 },
    { statusCode: 201, body: '{"one":1}' },
  ],
  ['json', json, { status: 204 }, { statusCode: 204, body: '' }],
  [
    'redirect',
    { kind: 'redirect', maxAgeSeconds: 60 },
    'https://example.com/a',
    {
      statusCode: 302,
      body: '',
      headers: { location: 'https://example.com/a', 'cache-control': 'public, max-age=60' },
    },
  ],
  ['sse', { kind: 'sse', events: One }, live, { statusCode: 200, body: live.stream }],
  ['stream', { kind: 'stream', mediaType: 'text/csv', body: z.string() }, live, { body: live.stream }],
  [
    'stream',
    { kind: 'stream', mediaType: 'text/csv', body: z.string(), bodies: { 204: z.void() } },
    { status: 204 },
    { statusCode: 204, body: '' },
  ],
])('%s: a response is built as declared', (kind, response, reply, expected) => {
  expect(toProxyResult(response, reply)).toMatchObject(expected);
  expect(isStreamed({ response })).toBe(kind === 'sse' || kind === 'stream');
});

test('an undeclared status and a body that violates its schema are faults', () => {
  expect(() => toProxyResult(json, { status: 201, body: {} })).toThrow('no body for the status 201');
  expect(() => toProxyResult(json, { status: 200, body: { one: 'x' } })).toThrow(z.ZodError);
});
