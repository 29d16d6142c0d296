import { expect, test } from 'vitest';
import { queues } from '../../../../infra/resources.ts';
import { getPauseSeconds } from '../../../../shared/execution/batches/run-message.ts';

test('a message that fails each time reaches the dead-letter queue 21 minutes after its first delivery', () => {
  const deliveries = Array.from({ length: queues.runs.maxReceiveCount }, (_, index) => index + 1);
  const seconds = deliveries.reduce((sum, delivery) => sum + getPauseSeconds(delivery), 0);
  expect(Math.round(seconds / 60)).toBe(21);
  // fauxqs cannot store a pause of none, and would lose the message.
  for (const delivery of deliveries) expect(getPauseSeconds(delivery)).toBeGreaterThan(0);
});
