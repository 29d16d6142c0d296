import { expect, test } from 'vitest';
import { derivedId, idCeiling, idFloor, idKind, newId, timeMsFromId } from '../../../shared/core/ids.ts';

test('an id encodes its type and creation time', () => {
  const before = Date.now();
  const id = newId('exec');
  expect(idKind(id)).toBe('exec');
  expect(timeMsFromId(id)).toBeGreaterThanOrEqual(before);
  expect(timeMsFromId(id)).toBeLessThanOrEqual(Date.now());
  expect(timeMsFromId(derivedId('step', 1_700_000_000_123, 'a'))).toBe(1_700_000_000_123);
});

test('exactly the ids of a moment sort between its first and last possible id', () => {
  const at = Date.UTC(2026, 0, 2);
  const [floor, ceiling] = [idFloor('exec', at), idCeiling('exec', at)];
  for (const name of ['a', 'b', 'c']) {
    const id = derivedId('exec', at, name);
    expect(floor <= id && id <= ceiling).toBe(true);
    expect(derivedId('exec', at - 1, name) < floor).toBe(true);
    expect(derivedId('exec', at + 1, name) > ceiling).toBe(true);
  }
  expect(timeMsFromId(idFloor('exec', -5))).toBe(0);
});
