import Big from 'big.js';
import { expect, test } from 'vitest';
import { openBudget } from '../../../../shared/execution/agent-loop/run-budget.ts';

const { signal } = new AbortController();

const leftOf = (budget: ReturnType<typeof openBudget>) => budget.getRemaining()?.toNumber();

test('a run inside of another charges both, with what it had spent in an earlier process', () => {
  const root = openBudget(10, new Big(1));
  const inside = openBudget(5, new Big(2), root);
  expect([leftOf(root), leftOf(inside)]).toEqual([7, 3]);
  const below = openBudget(undefined, new Big(0), inside);
  below.charge('2.5');
  expect([leftOf(root), leftOf(inside), leftOf(below)]).toEqual([4.5, 0.5, 0.5]);
});

test('what a call has set aside is missing everywhere until it ends, and others can wait for that', async () => {
  const root = openBudget(10, new Big(0));
  const [one, other] = [openBudget(undefined, new Big(0), root), openBudget(8, new Big(0), root)];
  expect(other.waitForRelease()).toBeUndefined();
  const { settle } = await one.reserve({ wanted: new Big(9), least: new Big(9) }, signal);
  expect([leftOf(root), leftOf(one), leftOf(other)]).toEqual([1, 1, 1]);
  const released = other.waitForRelease();
  settle(new Big(0));
  await released;
  expect([leftOf(root), leftOf(one), leftOf(other)]).toEqual([10, 10, 8]);
  expect(other.waitForRelease()).toBeUndefined();
});

test('a run without a limit, alone or inside of others without one, has no limit', () => {
  const root = openBudget(undefined, new Big(3));
  expect(openBudget(undefined, new Big(1), root).getRemaining()).toBeUndefined();
});
