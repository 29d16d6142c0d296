import { expect, test } from 'vitest';
import { ApiError, conflict, invalid, notFound, unprocessable } from '../../../shared/core/errors.ts';

test('an error whose details do not suit its status does not compile', () => {
  const detail = { code: 'CODE', message: 'Words' };
  expect(new ApiError(403, 'Forbidden', 'Words').details).toBe('Words');
  expect(new ApiError(409, 'Conflict', [detail]).details).toEqual([detail]);
  // @ts-expect-error: a text
  new ApiError(409, 'Conflict', 'Words');
  // @ts-expect-error: a list
  new ApiError(403, 'Forbidden', [detail]);
  // @ts-expect-error: nothing
  new ApiError(401, 'Unauthorized', undefined);
});

test('words alone become one detail', () => {
  expect(conflict('It is over').details).toEqual([{ code: 'CONFLICT', message: 'It is over' }]);
  expect(unprocessable('No steps').details).toEqual([{ code: 'NOTHING_TO_RUN', message: 'No steps' }]);
  expect(notFound('Record').details).toBeUndefined();
});

test('of a great many problems the first hundred are listed, and how many more there are', () => {
  const details = Array.from({ length: 300_000 }, (_, index) => ({ code: 'CODE', message: `${index}` }));
  const listed = invalid(details).details;
  expect(listed).toHaveLength(101);
  expect(listed?.at(-1)).toEqual({
    path: '',
    code: 'MORE_PROBLEMS',
    message: 'There are 299900 more, not listed',
  });
});
