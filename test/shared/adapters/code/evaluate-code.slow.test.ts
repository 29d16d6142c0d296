import { expect, test } from 'vitest';
import { runScript } from '../../../support/flows/sandbox.ts';

test('memory stays flat over thousands of evaluations', async () => {
  const variables = { name: 'Ada', order: { items: [{ price: 1 }, { price: 2 }] } };
  const run = () => runScript('return order.items.map(({ price }) => ({ price, of: name }))', variables);
  for (let count = 0; count < 500; count++) await run();
  const before = process.memoryUsage().rss;
  for (let count = 0; count < 1_500; count++) await run();
  expect(process.memoryUsage().rss - before).toBeLessThan(100_000_000);
});
