import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const root = new URL('../../', import.meta.url);
const text = readFileSync(new URL('docs/where-things-are.md', root), 'utf8');
const rows = [...text.matchAll(/`(\w+)` in `([^`]+\.ts)`/g)].map(([, name = '', file = '']) => ({
  name,
  file,
}));

test('docs/where-things-are.md names functions that stand in their files', () => {
  expect(rows.length).toBeGreaterThan(50);
  const missing = rows.filter(({ name, file }) => {
    const declared = new RegExp(`^(?:export )?(?:async )?(?:function\\*? |const |class )${name}\\b`, 'm');
    return !declared.test(readFileSync(new URL(file, root), 'utf8'));
  });
  expect(missing).toEqual([]);
});
