import { expect } from 'vitest';
import { agentOf, answered, run, scripted } from '../support/agent-runs.ts';
import { expectGoodScreen, openConsole, browserTest as test } from '../support/console.ts';
import { createRecords, finishedBatch, publishedFlow, runFlow } from '../support/flows.ts';
import { newTenant } from '../support/stack.ts';

const failing = { type: 'transform-data', name: 'Fail', config: { script: 'throw new Error("No")' } };

test('home tells a new user where to begin', async () => {
  const { page, complaints } = await openConsole();
  for (const text of ['Nothing runs', 'Nothing failed in the last runs', 'No agent has run']) {
    await page.getByText(text).waitFor();
  }
  await expectGoodScreen(page);
  expect(complaints).toEqual([]);
});

test('home leads to the batch that failed and to the last runs of agents, the newest first', async () => {
  const tenant = await newTenant();
  const flow = await publishedFlow(tenant, [failing]);
  await createRecords(tenant, 'city', 2);
  const { body: started } = await runFlow(tenant, flow.id, 'city');
  await finishedBatch(tenant, started.batchId);
  const guide = await agentOf(tenant, {}, { name: 'Guide' });
  const clerk = await agentOf(tenant, {}, { name: 'Clerk' });
  await answered(run(tenant, guide.id, scripted({ text: 'Hello' })));
  await run(tenant, clerk.id, scripted({ status: 400, message: 'Refused' }));
  const { page, complaints } = await openConsole({ tenant });
  const failures = page.getByRole('table', { name: 'Last failures' });
  await failures.getByRole('cell', { name: '2', exact: true }).waitFor();
  const agents = page.getByRole('table', { name: 'Last runs of agents' });
  expect(await agents.getByRole('row').nth(1).innerText()).toMatch(/Clerk\s+failed/i);
  expect(await agents.getByRole('row').nth(2).innerText()).toMatch(/Guide\s+completed/i);
  await expectGoodScreen(page);
  await agents.getByRole('link', { name: 'Clerk' }).click();
  await page.getByText('Refused').first().waitFor();
  await page.goBack();
  await failures.getByRole('link').click();
  await page.getByRole('heading', { name: 'Run on records', level: 1 }).waitFor();
  expect(complaints).toEqual([]);
});
