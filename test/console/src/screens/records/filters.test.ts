import { expect, test } from 'vitest';
import {
  conditionsIn,
  finished,
  operatorsFor,
} from '../../../../../console/src/screens/records/filters/filters.ts';

const state = { field: 'state', op: 'eq' as const, value: 'CA' };
const unfinished = { field: '', op: 'eq' as const, value: '' };

test('leaves out conditions that nobody finished, and groups without any, and keeps how the others combine', () => {
  const inner = { op: 'or' as const, conditions: [state, unfinished] };
  const empty = { op: 'or' as const, conditions: [unfinished] };
  expect(finished({ op: 'and', conditions: [unfinished, state, inner, empty] })).toEqual({
    op: 'and',
    conditions: [state, { op: 'or', conditions: [state] }],
  });
  expect(finished(empty)).toBeUndefined();
});

test('a condition is finished when it has the values that its operator takes', () => {
  expect(finished({ field: 'state', op: 'isSet', value: '' })).toEqual({ field: 'state', op: 'isSet' });
  expect(finished({ field: 'state', op: 'in', value: ['CA', ''] })).toEqual({
    ...state,
    op: 'in',
    value: ['CA'],
  });
  expect(finished({ field: 'height', op: 'between', value: [1, ''] })).toBeUndefined();
  expect(finished({ field: 'height', op: 'eq', value: 0 })).toEqual({ field: 'height', op: 'eq', value: 0 });
});

test('counts the conditions of all groups', () => {
  expect(conditionsIn({ op: 'and', conditions: [state, { op: 'or', conditions: [state, state] }] })).toBe(3);
});

test('offers the operators that the values of a field can satisfy', () => {
  expect(operatorsFor(['boolean'])).toContain('isTrue');
  expect(operatorsFor(['number'])).not.toContain('contains');
  expect(operatorsFor(undefined)).toContain('withinLastDays');
});
