import { expect, test } from 'vitest';
import { eachOnce } from '../../../../../../console/src/screens/runs/data/each-once.ts';

test('each row is there once, although later pages repeat rows while a batch adds some', () => {
  const row = (id: string, status = 'completed') => ({ id, status });
  const pages = [
    { data: [row('c'), row('b', 'running')] },
    // Two were added before it was read.
    { data: [row('c'), row('b'), row('a')] },
  ];
  expect(eachOnce(pages)).toEqual([row('c'), row('b'), row('a')]);
});
