import Big from 'big.js';
import { expect, test } from 'vitest';
import { collect, type ModelRequest } from '../../../../shared/adapters/ports/model-port.ts';
import { StepError } from '../../../../shared/core/errors/step-error.ts';
import { BudgetSpent, openBudget } from '../../../../shared/execution/agent-loop/run-budget.ts';
import { priceCall } from '../../../../shared/execution/model-calls/call-cost.ts';
import { enforceAccounts, type SpendingAccount } from '../../../../shared/execution/model-calls/pipeline.ts';
import { fakeModel } from '../../../support/models/model-ports.ts';

/** 1 USD for a token of the response, of 1,000 at most. */
const limits = { outputTokens: 1_000, prices: [{ above: 0, input: '0', output: '1000000' }] };
const { signal } = new AbortController();
const request: ModelRequest = { model: 'm', messages: [], streamed: false, signal };
const priceOf = (maxTokens?: number) => {
  const price = priceCall({ inputTokens: 1, maxTokens }, limits);
  if (!price) throw new Error('No price');
  return price;
};
const usd = (amount: number) => new Big(amount);

/** Calls of a model for which accounts pay, one after the other. */
function worldWith(accounts: readonly SpendingAccount[], cost: string | null = '3') {
  const asked: ModelRequest[] = [];
  const answer = (each: ModelRequest) => {
    asked.push(each);
    return 'Hello';
  };
  const model = fakeModel(answer, { cost });
  const embed = () => Promise.reject(new StepError('Out of order'));
  const ports = enforceAccounts({ model, embed }, async () => ({ accounts, price: priceOf() }));
  return { asked, ports, call: () => collect(ports.model.stream(request)) };
}

const leftOf = (budgets: readonly ReturnType<typeof openBudget>[]) =>
  budgets.map((budget) => budget.getRemaining()?.toNumber());

test('each account sets aside no more than the one before, and the response is no longer than what that pays for', async () => {
  const budgets = [openBudget(2_000, usd(0)), openBudget(300, usd(0)), openBudget(5_000, usd(0))];
  const { asked, call } = worldWith(budgets);
  await call();
  expect(asked.map(({ settings }) => settings?.maxTokens)).toEqual([300]);
  expect(leftOf(budgets)).toEqual([1_997, 297, 4_997]);
});

test('a call whose cost nobody knows costs what was set aside', async () => {
  const budgets = [openBudget(2_000, usd(0)), openBudget(300, usd(0))];
  await worldWith(budgets, null).call();
  expect(leftOf(budgets)).toEqual([1_000, 0]);
});

test('if one does not pay, those before get back what they set aside, and no call is made', async () => {
  const budgets = [openBudget(2_000, usd(0)), openBudget(200, usd(0))];
  const { asked, call } = worldWith(budgets);
  await expect(call()).rejects.toThrow(BudgetSpent);
  expect(asked).toEqual([]);
  expect(leftOf(budgets)).toEqual([2_000, 200]);
});

test('an embedding that fails costs nothing', async () => {
  const budgets = [openBudget(2_000, usd(0))];
  const { ports } = worldWith(budgets);
  await expect(ports.embed({ model: 'm', texts: ['x'], signal })).rejects.toThrow('Out of order');
  expect(leftOf(budgets)).toEqual([2_000]);
});

test('a run waits for its other calls before it shortens a response, and pays for what is free', async () => {
  const budget = openBudget(1_500, usd(0));
  const first = await budget.reserve(priceOf().cost, signal);
  let second: { amount: Big } | undefined;
  const waiting = budget.reserve(priceOf().cost, signal).then((reservation) => {
    second = reservation;
  });
  await new Promise(setImmediate);
  expect(second).toBeUndefined();
  first.settle(usd(700));
  await waiting;
  expect(second?.amount.toNumber()).toBe(800);
  budget.charge('10');
  expect((await budget.reserve({ wanted: usd(0), least: usd(0) }, signal)).amount.toNumber()).toBe(0);
});
