import { setTimeout as sleep } from 'node:timers/promises';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import Big from 'big.js';
import { newId } from '../../../shared/core/ids.ts';
import { budgetEntity } from '../../../shared/domain/budgets/budget/budget.ts';
import { openBudgetReservations } from '../../../shared/execution/model-calls/budget-reservations.ts';
import { documentClient } from '../../../shared/platform/data/client.ts';
import { tenantTable } from '../../../shared/platform/data/table.ts';

// A process that calls a model as often as it is told, where a budget pays for it. Begins when its
// input ends, says `made` and `refused` on a line each, and at the end how many requests it sent to the table.

const [table = '', tenant = '', id = '', calls = '', cost = '', waitMs = ''] = process.argv.slice(2);
const client = new DynamoDBClient({});
let requests = 0;
client.middlewareStack.add(
  (next) => (sent) => {
    requests++;
    return next(sent);
  },
  { step: 'initialize', name: 'count' },
);
const scope = { table: tenantTable(documentClient(client), table, tenant), now: () => new Date(), newId };
const budget = await scope.table.get(budgetEntity, { id }, { consistent: true });
if (!budget) throw new Error('There is no budget');
const reservations = openBudgetReservations(scope, budget, Number(waitMs));
const amount = new Big(cost);
// Until all are there.
process.stdout.write('ready\n');
for await (const _ of process.stdin);
requests = 0;
for (let call = 0; call < Number(calls); call++) {
  const grant = await reservations.reserve({ wanted: amount, least: amount }, new AbortController().signal);
  process.stdout.write(grant ? 'made\n' : 'refused\n');
  await sleep(20 * Math.random());
  grant?.settle(amount);
}
await reservations.flush();
process.stdout.write(`requests ${requests}\n`);
