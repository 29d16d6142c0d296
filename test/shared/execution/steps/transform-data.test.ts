import { expect, test } from 'vitest';
import { stepFailure } from '../../../support/flows/failure-of.ts';
import { configProblems, runStep } from './run-step.ts';

const variables = { items: [{ price: 2 }, { price: 5 }] };

test('returns the result of the script', async () => {
  const config = { script: 'return items.filter(({ price }) => price > 3)', outputVariable: 'dear' };
  expect(await runStep('transform-data', config, { variables })).toEqual({ output: [{ price: 5 }] });
});

test('accepts TypeScript, and any sandbox name', async () => {
  const config = {
    script: 'const n: number = 2; return n',
    language: 'typescript',
    sandboxProvider: 'daytona',
  };
  expect(await runStep('transform-data', config)).toEqual({ output: 2 });
});

test('a script that throws or does not end fails the step permanently', async () => {
  const thrown = await stepFailure(runStep('transform-data', { script: 'throw new Error("no price")' }));
  expect(thrown).toMatchObject({ message: 'The script failed: Error: no price (line 1)', retryable: false });
  const endless = await stepFailure(runStep('transform-data', { script: 'for (;;);', timeoutMs: 50 }));
  expect(endless).toMatchObject({ message: 'The script took longer than 50 ms', retryable: false });
});

test.each([
  [{ script: 'return {' }, "script: Unexpected token ')' (line 2)"],
  [{ script: '' }, expect.stringContaining('script: Too small')],
  [{ script: 'let a: number = 1; return a' }, "script: Unexpected token ':' (line 1)"],
  [
    { script: 'return 1', language: 'python' },
    'language: Invalid option: expected one of "javascript"|"typescript"',
  ],
  [{ script: 'return 1', timeoutMs: 60_000 }, expect.stringContaining('timeoutMs: Too big')],
])('%j is rejected', async (config, problem) => {
  expect(await configProblems('transform-data', config)).toEqual([problem]);
});
