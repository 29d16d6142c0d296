import { expect, test } from 'vitest';
import { deriveId, getIdKind, getIdTimeMs, idCeiling, idFloor, newId } from '../../../shared/core/ids.ts';

test('an id encodes its type and creation time', () => {
  const before = Date.now();
  const id = newId('exec');
  expect(getIdKind(id)).toBe('exec');
  expect(getIdTimeMs(id)).toBeGreaterThanOrEqual(before);
  expect(getIdTimeMs(id)).toBeLessThanOrEqual(Date.now());
  expect(getIdTimeMs(deriveId('step', 1_700_000_000_123, 'a'))).toBe(1_700_000_000_123);
});

test('exactly the ids of a moment sort between its first and last possible id', () => {
  const at = Date.UTC(2026, 0, 2);
  const [floor, ceiling] = [idFloor('exec', at), idCeiling('exec', at)];
  for (const name of ['a', 'b', 'c']) {
    const id = deriveId('exec', at, name);
    expect(floor <= id && id <= ceiling).toBe(true);
    expect(deriveId('exec', at - 1, name) < floor).toBe(true);
    expect(deriveId('exec', at + 1, name) > ceiling).toBe(true);
  }
  expect(getIdTimeMs(idFloor('exec', -5))).toBe(0);
});
