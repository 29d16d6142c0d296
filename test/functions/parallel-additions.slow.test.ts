import { test } from 'vitest';
import { addAtOnce, additions, limits } from './additions.ts';

test.each(Object.keys(additions))(
  '%s: as many distinct children as conflict most, added at once, all succeed',
  (id) => addAtOnce(id, limits[id] ?? 50),
);
