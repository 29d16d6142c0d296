import { expect, test } from 'vitest';
import { explained, fieldProblems } from '../../../../console/src/ui/loading/failure-text.ts';
import { ApiError, ConnectionError } from '../../../../packages/client/src/client.ts';

const refused = (status: number, body: unknown) => new ApiError('flows.list', status, body);

test('says what and where the API refused, or what it said as one text', () => {
  const details = [{ path: 'config.model', message: 'Expected a text' }, { message: 'Too many' }];
  expect(explained(refused(400, { error: 'Validation error', details }))).toEqual({
    title: 'Validation error',
    lines: ['config.model: Expected a text', 'Too many'],
  });
  expect(explained(refused(403, { error: 'Forbidden', details: 'Needs FLOWS:READ' }))).toEqual({
    title: 'You do not have permission to do this',
    lines: ['Needs FLOWS:READ'],
  });
});

test('says something of answers without a reason', () => {
  expect(explained(refused(418, 'teapot'))).toEqual({ title: 'The service responded with 418', lines: [] });
  expect(explained(new Error('The file is empty')).title).toBe('The file is empty');
  const lost = new ConnectionError('flows.list', new TypeError('Failed to fetch'));
  expect(explained(lost).title).toBe('The service did not respond. Check your connection');
});

test('finds the field that each problem is about', () => {
  const details = [{ path: 'config.model', message: 'Expected a text' }, { message: 'Too many' }];
  expect(fieldProblems(refused(400, { details }))).toEqual({ 'config.model': 'Expected a text' });
  expect(fieldProblems(refused(400, { details: 'No' }))).toEqual({});
  expect(fieldProblems(undefined)).toEqual({});
});

test('an answer of another form, as of a proxy, has no reason', () => {
  const bodies = [
    undefined,
    null,
    5,
    [],
    { details: { a: 1 } },
    { error: {}, details: [null, 5, { message: 5 }] },
  ];
  for (const body of bodies) {
    expect(explained(refused(500, body))).toEqual({ title: 'The service responded with 500', lines: [] });
    expect(fieldProblems(refused(500, body))).toEqual({});
  }
});
