import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { newTenant } from '../../../support/stack/stack.ts';
import { dispatchHere } from './dispatch-here.ts';

const wait = { type: 'wait-until', name: 'wait', config: { delayMs: 60_000 } };

test('a run that waits before it is listed waits all the same', async () => {
  let isFirst = true;
  const { result } = await dispatchHere(
    await newTenant(),
    { flow: { name: 'Quick', steps: [wait] } },
    {
      // The one that lists it.
      before: async (command) => {
        if (!isFirst || !/Put|Transact|Update|BatchWrite/.test(command)) return;
        isFirst = false;
        await sleep(500);
      },
    },
    { showsProgress: false },
  );
  expect(result).toMatchObject({ success: true, status: 'paused' });
});
