import { expect, test } from 'vitest';
import {
  conflict,
  type ErrorCode,
  forbidden,
  missingPermission,
  notFound,
  rateLimited,
  ServiceError,
  serviceBusy,
  unauthenticated,
  unprocessable,
} from '../../../../shared/core/errors/errors.ts';
import { httpErrors, toHttpError } from '../../../../shared/platform/http/responses/http-errors.ts';

const bodyOf = (error: ServiceError) => toHttpError(error).body;

test.each(Object.keys(httpErrors) as ErrorCode[])(
  '%s: details are a string only for 401, 403 and 429',
  (code) => {
    const { statusCode, body } = toHttpError(new ServiceError(code, 'Words'));
    const details = [401, 403, 429].includes(statusCode) ? 'Words' : [{ code, message: 'Words' }];
    expect(body).toEqual({ error: expect.any(String), details });
  },
);

test('404, 409, 422 and 503 responses carry a code', () => {
  const missing = { code: 'NOT_FOUND', message: 'Record not found' };
  expect(bodyOf(notFound('Record'))).toEqual({ error: 'Record not found', details: [missing] });
  const over = { code: 'CONFLICT', message: 'It is over' };
  expect(bodyOf(conflict('It is over'))).toEqual({ error: 'Conflict', details: [over] });
  const taken = { path: 'name', code: 'NAME_TAKEN', message: 'Taken' } as const;
  expect(bodyOf(conflict(taken))).toEqual({ error: 'Conflict', details: [taken] });
  const nothing = { code: 'NOTHING_TO_RUN', message: 'No steps' } as const;
  expect(bodyOf(unprocessable(nothing))).toEqual({ error: 'Unprocessable', details: [nothing] });
  expect(bodyOf(serviceBusy())).toMatchObject({ error: 'Service unavailable', details: [{ code: 'BUSY' }] });
});

test('a 403 contains exactly error and details, plus a code if the reason has one', () => {
  const details = 'Missing required permission: FLOWS:READ';
  expect(bodyOf(missingPermission('FLOWS:READ'))).toEqual({ error: 'Forbidden', details });
  expect(bodyOf(forbidden('IP address not allowed'))).toEqual({
    error: 'Forbidden',
    details: 'IP address not allowed',
  });
  expect(bodyOf(missingPermission('FLOWS:READ', 'TEST_KEY_PERMISSION_DENIED'))).toEqual({
    error: 'Forbidden',
    details,
    code: 'TEST_KEY_PERMISSION_DENIED',
  });
});

test('the error determines the headers: the challenge of a 401, the seconds to wait', () => {
  expect(toHttpError(unauthenticated())).toMatchObject({
    statusCode: 401,
    headers: { 'WWW-Authenticate': 'Bearer' },
  });
  expect(toHttpError(rateLimited('Hourly', 5, 17))).toMatchObject({
    statusCode: 429,
    headers: { 'Retry-After': '17' },
  });
  expect(toHttpError(serviceBusy()).headers).toEqual({ 'Retry-After': '10' });
  expect(toHttpError(conflict('It is over')).headers).toEqual({});
});
