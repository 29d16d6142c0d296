import { expect, test } from 'vitest';
import { describeSettings } from '../../../../../console/src/ui/schema-form/setting-groups.ts';

const schemas = { loop: { properties: { maxTurns: {}, maxCost: {} } } } as Record<string, object>;
const schemaOf = (name: string) => schemas[name] ?? {};

test('the closed head of a group says what is set in it, else what it holds', () => {
  const names = ['loop', 'maxTokens', 'asArtifact'];
  expect(describeSettings(names, {}, schemaOf)).toBe('Max turns, Max cost, Max tokens, As artifact');
  expect(describeSettings(names, { loop: { maxTurns: 20 }, asArtifact: true }, schemaOf)).toBe(
    'Max turns 20, As artifact on',
  );
  expect(describeSettings(['a', 'b', 'c', 'd', 'e', 'f'], {}, schemaOf)).toBe('A, B, C, D, 2 more');
});
