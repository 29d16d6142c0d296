import { expect, test } from 'vitest';
import {
  conflict,
  hasCode,
  invalid,
  invalidAt,
  notFound,
  ServiceError,
} from '../../../shared/core/errors/errors.ts';

test('an error with an unlisted code does not compile', () => {
  expect(new ServiceError('CONFLICT', 'It is over').code).toBe('CONFLICT');
  // @ts-expect-error: no kind of failure
  new ServiceError('ODD', 'Words');
  // @ts-expect-error: no code of a detail
  invalidAt('name', 'ODD', 'Words');
});

test('an error takes its message from its detail', () => {
  const detail = { path: 'name', code: 'NAME_TAKEN', message: 'Words' } as const;
  expect(conflict(detail)).toMatchObject({ code: 'CONFLICT', message: 'Words', details: [detail] });
  expect(conflict('It is over')).toMatchObject({ code: 'CONFLICT', message: 'It is over', details: [] });
});

test('hasCode matches only service errors with that code', () => {
  expect(hasCode(notFound('Record'), 'NOT_FOUND')).toBe(true);
  expect(hasCode(notFound('Record'), 'CONFLICT')).toBe(false);
  expect(hasCode(Object.assign(new Error('x'), { code: 'NOT_FOUND' }), 'NOT_FOUND')).toBe(false);
});

test('an error lists the first hundred problems and the number of further ones', () => {
  const details = Array.from({ length: 300_000 }, (_, index) => ({
    code: 'INVALID_VALUE' as const,
    message: `${index}`,
  }));
  const listed = invalid(details).details;
  expect(listed).toHaveLength(101);
  expect(listed.at(-1)).toEqual({
    path: '',
    code: 'MORE_PROBLEMS',
    message: '299900 more errors are not listed',
  });
});
