import { expect, test } from 'vitest';
import { builtIns, readsOfProgram } from '../../../../shared/adapters/code/texts.ts';
import { runScript } from '../../../support/flows/sandbox.ts';

test('the built-ins are those of the sandbox', async () => {
  const names = await runScript('return Object.getOwnPropertyNames(globalThis)', {});
  expect([...builtIns, 'input', 'variables'].toSorted()).toEqual((names as string[]).toSorted());
});

test.each(['return (', '['.repeat(50_000), `${'a+'.repeat(60_000)}a`])(
  'an invalid or too deep program may read anything',
  (program) => {
    expect(readsOfProgram(program)).toEqual({ names: [], everything: true });
  },
);
