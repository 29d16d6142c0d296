import { expect, test } from 'vitest';
import { RecursiveInvocation, traceHeader } from '../../../infra/local/runtime/invoke.ts';

/** The header after so many invocations of `a`, each caused by the one before. */
function chain(invocations: number, recursiveLoop: 'Allow' | 'Terminate'): string {
  let header: string | undefined;
  for (let n = 0; n < invocations; n++) header = traceHeader('a', [header], recursiveLoop);
  return header ?? '';
}

test('the 17th invocation of a function within one chain of messages is stopped, unless it allows loops', () => {
  const sixteen = chain(16, 'Terminate');
  expect(() => traceHeader('a', [sixteen], 'Terminate')).toThrow(RecursiveInvocation);
  expect(traceHeader('a', [sixteen], 'Allow')).toMatch(/;Lineage=[0-9a-f]{8}:17$/);
});

test('each function has a count of its own, and the root of the chain stays', () => {
  const sixteen = chain(16, 'Terminate');
  const other = traceHeader('b', [sixteen], 'Terminate');
  expect(other).toMatch(/;Lineage=[0-9a-f]{8}:16\|[0-9a-f]{8}:1$/);
  expect(other.split(';')[0]).toBe(sixteen.split(';')[0]);
  expect(() => traceHeader('a', [other], 'Terminate')).toThrow(RecursiveInvocation);
});

test('of several messages, the highest count applies', () => {
  const causes = [chain(2, 'Terminate'), undefined, chain(5, 'Terminate'), chain(1, 'Terminate')];
  expect(traceHeader('a', causes, 'Terminate')).toMatch(/:6$/);
});
