import Big from 'big.js';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Budget, budgetEntity } from '../../../../shared/domain/budgets/budget/budget.ts';
import { toCostUnits, toDollars } from '../../../../shared/domain/model-usage/cost-units.ts';
import { openBudgetReservations } from '../../../../shared/execution/model-calls/budget-reservations.ts';
import type { Reservation } from '../../../../shared/execution/model-calls/pipeline.ts';
import type { Scope } from '../../../../shared/platform/data/scope.ts';
import { createBudget } from '../../../support/flows/budgets.ts';
import { countingRuntime, newTenant } from '../../../support/stack/stack.ts';
import { numRuns } from '../../../support/suite/slow.ts';

const noLimit = new AbortController().signal;

/** A budget of a tenant of its own, and what makes scopes of processes at the same time. */
async function world(limit: string, period = 'total') {
  const tenant = await newTenant();
  const { id } = await createBudget(tenant, { limit, period });
  const { table } = countingRuntime().scopeOf(tenant.tenant);
  const clock = { at: Date.now() };
  const scope = (): Scope => ({ ...countingRuntime().scopeOf(tenant.tenant), now: () => new Date(clock.at) });
  const read = () => table.get(budgetEntity, { id }, { consistent: true }) as Promise<Budget>;
  return { read, scope, clock, tenant: tenant.tenant };
}

const heldIn = ({ holds }: Budget) =>
  Object.values(holds).reduce((sum, { amount }) => sum.plus(amount), new Big(0));

/** Of every state that anybody may see. */
function expectBalanced(budget: Budget) {
  expect(budget.left.plus(budget.spent).plus(heldIn(budget)).toFixed()).toBe(
    toCostUnits(new Big(budget.limit)),
  );
  expect(toDollars(budget.spent).lte(budget.limit)).toBe(true);
}

const Call = fc.record({
  /** In cents: what it may cost, and the least that it takes. */
  wanted: fc.integer({ min: 1, max: 60 }),
  least: fc.integer({ min: 1, max: 60 }),
  /** Which part it costs in the end, in percent. */
  part: fc.integer({ min: 0, max: 100 }),
  /** Whether the process is killed during the call. */
  isKilled: fc.boolean(),
});
type CallOf = typeof Call extends fc.Arbitrary<infer C> ? C : never;
const Process = fc.array(Call, { minLength: 1, maxLength: 8 });

test('whatever processes do at the same time, a budget is never exceeded, and what is spent is exact', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(Process, { minLength: 2, maxLength: 6 }),
      fc.integer({ min: 50, max: 900 }),
      async (processes, cents) => {
        const { read, scope, clock } = await world(new Big(cents).div(100).toFixed());
        let known = new Big(0);
        let isLossy = false;

        async function run(calls: readonly CallOf[]) {
          let reservations = openBudgetReservations(scope(), await read(), 0);
          for (const { wanted, least, part, isKilled } of calls) {
            const cost = {
              wanted: new Big(wanted).div(100),
              least: new Big(Math.min(least, wanted)).div(100),
            };
            const grant: Reservation | undefined = await reservations.reserve(cost, noLimit);
            expectBalanced(await read());
            if (isKilled) {
              isLossy = true;
              reservations = openBudgetReservations(scope(), await read(), 0);
              continue;
            }
            if (!grant) continue;
            expect(grant.amount.gte(cost.least) && grant.amount.lte(cost.wanted)).toBe(true);
            const spent = grant.amount.times(part).div(100);
            known = known.plus(spent);
            grant.settle(spent);
          }
          await reservations.flush();
        }

        await Promise.all(processes.map(run));
        const before = await read();
        expectBalanced(before);
        expect(toDollars(before.spent).lte(known)).toBe(true);
        if (!isLossy) {
          expect(toDollars(before.spent).toFixed()).toBe(known.toFixed());
          expect(before.holds).toEqual({});
        }
        // What dead processes hold comes back.
        clock.at += 16 * 60_000;
        const rest = toDollars(before.left.plus(heldIn(before)));
        if (rest.gt(0)) {
          const reservations = openBudgetReservations(scope(), before, 0);
          expect((await reservations.reserve({ wanted: rest, least: rest }, noLimit))?.amount.toFixed()).toBe(
            rest.toFixed(),
          );
          expectBalanced(await read());
        }
      },
    ),
    { numRuns: numRuns(100) },
  );
});

test('a new period begins with the whole limit, and takes nothing from the one before', async () => {
  const { read, scope, clock } = await world('1', 'day');
  const reservations = openBudgetReservations(scope(), await read(), 0);
  const all = { wanted: new Big(1), least: new Big(1) };
  const late = await reservations.reserve(all, noLimit);
  expect(await reservations.reserve(all, noLimit)).toBeUndefined();
  clock.at += 86_400_000;
  const next = await reservations.reserve(all, noLimit);
  expect(next?.amount.toFixed()).toBe('1');
  late?.settle(new Big(1));
  next?.settle(new Big('0.25'));
  await reservations.flush();
  const budget = await read();
  expectBalanced(budget);
  expect(toDollars(budget.spent).toFixed()).toBe('0.25');
});

test('far from the limit a process writes once for 15 calls; near it, each call is set aside and settled', async () => {
  const { read, tenant } = await world('10');
  const { consumed, reset, scopeOf } = countingRuntime();
  const reservations = openBudgetReservations(scopeOf(tenant), await read(), 0);
  const call = async (cost: string) => {
    const amount = new Big(cost);
    (await reservations.reserve({ wanted: amount, least: amount }, noLimit))?.settle(amount);
    // Near the limit it is settled at once.
    await reservations.flush();
  };
  const calls = async (count: number, cost: string) => {
    const amount = new Big(cost);
    for (let made = 0; made < count; made++) {
      (await reservations.reserve({ wanted: amount, least: amount }, noLimit))?.settle(amount);
    }
  };
  await calls(1, '0.001');
  reset();
  await calls(64, '0.001');
  expect(consumed).toMatchObject({ commands: Array(4).fill('UpdateItem'), capacityUnits: 4 });
  await call('8');
  reset();
  await call('1');
  expect(consumed).toMatchObject({ commands: ['UpdateItem', 'UpdateItem'], capacityUnits: 2 });
});
