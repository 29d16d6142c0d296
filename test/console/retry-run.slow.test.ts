import { expect } from 'vitest';
import { answered, createScriptedAgent, run, scripted } from '../support/agents/agent-runs.ts';
import { expectGoodScreen, openConsole, browserTest as test } from '../support/console/console.ts';
import { expectStatus, publishedFlow, template } from '../support/flows/flows.ts';
import { eventually } from '../support/stack/eventually.ts';
import { newTenant } from '../support/stack/stack.ts';

test('a failed run is retried from its failure, a completed one started again; the two runs link each other', async () => {
  const tenant = await newTenant();
  const failing = { type: 'transform-data', name: 'Divide', config: { script: 'throw new Error("no")' } };
  const flow = await publishedFlow(tenant, [template('ready'), failing]);
  const body = { flow: { id: flow.id }, options: { streamResponse: false } };
  const { executionId } = await expectStatus(200, tenant.call('POST', '/v1/dispatch', { body }));
  const { page, complaints } = await openConsole({ tenant, screen: `/runs/${executionId}` });
  await page.getByRole('button', { name: 'Retry', exact: true }).click();
  await expectGoodScreen(page);
  await page.getByRole('dialog').getByRole('button', { name: 'Retry from failure' }).click();
  await page.getByRole('link', { name: 'the first run' }).waitFor();
  const retryId = new URL(page.url()).hash.split('/').at(-1);
  await eventually(async () => {
    const retry = await expectStatus(200, tenant.call('GET', `/v1/runs/${retryId}`));
    expect(retry).toMatchObject({ status: 'failed', retryOf: executionId });
  });
  await page.getByRole('link', { name: 'the first run' }).click();
  await page.getByRole('link', { name: 'retry 1' }).waitFor();
  expect(complaints).toEqual([]);
});

test('a run of an agent is started again in the background', async () => {
  const tenant = await newTenant();
  const agent = await createScriptedAgent(tenant, {}, { name: 'Greeter' });
  const { executionId } = await answered(run(tenant, agent.id, scripted({ text: 'hello' })));
  const { page, complaints } = await openConsole({ tenant, screen: `/runs/${executionId}` });
  await page.getByRole('button', { name: 'Start again' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Start again' }).click();
  await page.getByRole('link', { name: 'the first run' }).waitFor();
  const retryId = new URL(page.url()).hash.split('/').at(-1);
  await eventually(async () => {
    const retry = await expectStatus(200, tenant.call('GET', `/v1/runs/${retryId}`));
    expect(retry).toMatchObject({ status: 'completed', retryOf: executionId, output: 'hello' });
  });
  expect(complaints).toEqual([]);
});

test('a retry that is refused says why', async () => {
  const tenant = await newTenant();
  const flow = await publishedFlow(tenant, [template('done')]);
  const body = { flow: { id: flow.id }, options: { streamResponse: false } };
  const { executionId } = await expectStatus(200, tenant.call('POST', '/v1/dispatch', { body }));
  const { page } = await openConsole({ tenant, screen: `/runs/${executionId}` });
  await page.getByRole('button', { name: 'Start again' }).click();
  await page.route('**/retry', (route) =>
    route.fulfill({ status: 409, json: { error: 'A retry of it goes on' } }),
  );
  await page.getByRole('dialog').getByRole('button', { name: 'Start again' }).click();
  await page.getByRole('alert').getByText('A retry of it goes on').waitFor();
  await page.unroute('**/retry');
  await page.getByRole('dialog').getByRole('button', { name: 'Start again' }).click();
  await page.getByRole('link', { name: 'the first run' }).waitFor();
});
