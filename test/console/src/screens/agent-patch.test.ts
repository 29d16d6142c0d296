import { expect, test } from 'vitest';
import { agentPatch } from '../../../../console/src/screens/agents/parts/agent-patch.ts';

test('a member that is named as one of every object is taken away, and added, as any other', () => {
  expect(agentPatch({ constructor: 'x', kept: 1 }, { kept: 1 })).toEqual({ constructor: null });
  const proto = JSON.parse('{"__proto__": {"a": 1}}');
  expect(Object.keys(agentPatch(proto, {}))).toEqual(['__proto__']);
});
