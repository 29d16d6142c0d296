import { expect, test } from 'vitest';
import { auditChange, isOneTarget } from '../../../../console/src/screens/settings/audit-change.ts';

const created = { action: 'api-key.created', details: { name: 'Old', permissions: ['A'], expiresAt: null } };
const renamed = { action: 'api-key.updated', details: { name: 'Middle' } };

test('the values before a change are the newest of the entries before it', () => {
  const entry = { action: 'api-key.updated', details: { name: 'New', isActive: false } };
  expect(auditChange(entry, [renamed, created])).toEqual({
    before: { name: 'Middle' },
    after: { name: 'New', isActive: false },
  });
  expect(auditChange(entry, []).before).toEqual({});
});

test('a deletion takes away all that the log knows', () => {
  const entry = { action: 'api-key.deleted', details: {} };
  expect(auditChange(entry, [renamed, created])).toEqual({
    before: { name: 'Middle', permissions: ['A'], expiresAt: null },
    after: {},
  });
});

test('an entry of several things has no history of its own', () => {
  expect(isOneTarget('key_01k9m4v7d3x8qz5w2r6t0y1hbn')).toBe(true);
  expect(isOneTarget('secret_01k9m4v7d3x8qz5w2r6t0y1hbn,secret_01k9m4v7d3x8qz5w2r6t0y1hbm')).toBe(false);
});
