import { expect, test } from 'vitest';
import { builtIns, readsOfProgram } from '../../../../shared/adapters/code/program-reads.ts';
import { evaluateScript } from '../../../support/sandbox.ts';

test('what counts as built in is what the sandbox has', async () => {
  const names = await evaluateScript('return Object.getOwnPropertyNames(globalThis)', {});
  expect([...builtIns, 'input', 'variables'].toSorted()).toEqual((names as string[]).toSorted());
});

test.each(['return (', '['.repeat(50_000), `${'a+'.repeat(60_000)}a`])(
  'of a program that is wrong or too deep nothing is told',
  (program) => {
    expect(readsOfProgram(program)).toEqual({ names: [], everything: true });
  },
);
