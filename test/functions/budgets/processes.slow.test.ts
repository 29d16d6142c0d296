import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import Big from 'big.js';
import { expect, test } from 'vitest';
import { createBudget, getBudget } from '../../support/flows/budgets.ts';
import { newTenant, stack } from '../../support/stack/stack.ts';

const processes = 50;
const callsOfEach = 20;
const cost = '0.01';

/** What the processes did: each line that one of them printed. @param killAfter Calls after which every fifth is killed. */
async function outputs(tenant: string, id: string, killAfter?: number): Promise<string[]> {
  // What dead processes hold does not come back for 15 minutes.
  const waitMs = killAfter === undefined ? '5000' : '100';
  const script = new URL('../../support/flows/budget-caller.ts', import.meta.url).pathname;
  const given = [script, stack().table, tenant, id, String(callsOfEach), cost, waitMs];
  const children = Array.from({ length: processes }, () =>
    spawn(process.execPath, given, { stdio: ['pipe', 'pipe', 'inherit'] }),
  );
  const said = children.map(({ stdout }) => text(stdout));
  let [ready, calls] = [0, 0];
  for (const { stdout } of children) {
    stdout.on('data', (said: Buffer) => {
      const lines = said.toString().trimEnd().split('\n');
      ready += count(lines, 'ready');
      calls += count(lines, 'made');
      if (ready === processes) for (const { stdin } of children) stdin.end();
      if (killAfter === undefined || calls < killAfter) return;
      for (const child of children.filter((_child, index) => index % 5 === 0)) child.kill('SIGKILL');
    });
  }
  return (await Promise.all(said)).flatMap((each) => each.split('\n'));
}

const count = (lines: readonly string[], word: string) => lines.filter((line) => line === word).length;

test('1,000 calls from 50 processes, a budget for 700 of them: 700 are made', {
  timeout: 300_000,
}, async () => {
  const tenant = await newTenant();
  const { id } = await createBudget(tenant, { limit: '7.00' });
  const lines = await outputs(tenant.tenant, id);
  const [made, refused] = [count(lines, 'made'), count(lines, 'refused')];
  const requests = lines.flatMap((line) => /^requests (\d+)$/.exec(line)?.[1] ?? []).map(Number);
  const total = requests.reduce((sum, each) => sum + each, 0);
  console.log(`${made} made, ${refused} refused, ${total} requests to the table`);
  expect({ made, refused }).toEqual({ made: 700, refused: 300 });
  expect(await getBudget(tenant, id)).toMatchObject({ spent: '7', reserved: '0', remaining: '0' });
});

test('processes that are killed spend no more than the limit', { timeout: 300_000 }, async () => {
  const tenant = await newTenant();
  const { id } = await createBudget(tenant, { limit: '7.00' });
  const lines = await outputs(tenant.tenant, id, 200);
  const made = count(lines, 'made');
  const { spent, reserved } = await getBudget(tenant, id);
  console.log(`${made} made, $${spent} spent, $${reserved} held by dead processes`);
  expect(new Big(cost).times(made).lte('7')).toBe(true);
  expect(new Big(spent).lte('7')).toBe(true);
  // What the living made is known; the dead hold what they made since they last wrote.
  expect(new Big(spent).plus(reserved).gte(new Big(cost).times(made))).toBe(true);
});
