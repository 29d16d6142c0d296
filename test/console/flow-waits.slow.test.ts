import { expect } from 'vitest';
import { createScriptedAgent, run } from '../support/agents/agent-runs.ts';
import { expectGoodScreen, openConsole, tabTo, browserTest as test } from '../support/console/console.ts';
import {
  createRecords,
  expectStatus,
  finishedBatch,
  publishedFlow,
  template,
} from '../support/flows/flows.ts';
import { eventually } from '../support/stack/eventually.ts';
import { newTenant, type Tenant } from '../support/stack/stack.ts';

const approval = (config: object = {}) => ({
  type: 'approval',
  id: 'ask',
  name: 'Ask',
  config: { question: 'Send {{ item }}{{ _record.name }}?', outputVariable: 'said', ...config },
});
const each = (...steps: object[]) => ({
  type: 'map',
  id: 'each',
  name: 'Each',
  config: { items: '["a", "b"]', steps, outputVariable: 'all' },
});
const answerText = template('{{ said.choice }} {{ said.values.amount }} {{ said.comment }}');

async function paused({ call }: Tenant, ...steps: object[]): Promise<string> {
  const body = { flow: { name: 'Payments', steps }, options: { streamResponse: false } };
  const result = await expectStatus(200, call('POST', '/v1/dispatch', { body }));
  expect(result.status).toBe('paused');
  return result.executionId;
}

const outputOf = ({ call }: Tenant, id: string) =>
  eventually(async () => {
    const run = await expectStatus(200, call('GET', `/v1/runs/${id}`));
    if (run.status !== 'completed') throw new Error(`It is ${run.status}`);
    return run.output;
  }, 20_000);

test('the page of a run asks what the run asks: its form says what is wrong, and the answer continues it', async () => {
  const tenant = await newTenant();
  const form = {
    type: 'object',
    properties: { amount: { type: 'number', minimum: 5 }, paid: { type: 'boolean' } },
    required: ['amount', 'paid'],
  };
  const id = await paused(tenant, approval({ question: 'Pay it?', details: 'To Ada', form }), answerText);
  const { page, complaints } = await openConsole({ tenant, screen: `/runs/${id}` });
  const question = page.getByRole('region', { name: 'Question: Pay it?' });
  await question.getByText('To Ada').waitFor();
  await expectGoodScreen(page);
  await question.getByLabel('Amount').fill('3');
  await question.getByRole('button', { name: 'Approve' }).click();
  await question.getByRole('alert').waitFor();
  await question.getByLabel('Amount').fill('7');
  await question.getByLabel('Comment').fill('fine');
  await tabTo(page, 'button', 'Approve');
  await page.keyboard.press('Enter');
  await question.waitFor({ state: 'detached' });
  expect(await outputOf(tenant, id)).toBe('approve 7 fine');
  expect(complaints.filter((each) => !each.includes('400'))).toEqual([]);
});

test('each question of a map is answered by itself, and a callback shows its address', async () => {
  const tenant = await newTenant();
  const hear = {
    type: 'wait-for-callback',
    name: 'Hear',
    config: { timeoutMinutes: 5, outputVariable: 'body' },
  };
  const branches = [
    { name: 'people', steps: [each(approval(), template('{{ item }} {{ said.choice }}'))] },
    { name: 'systems', steps: [hear] },
  ];
  const both = { type: 'parallel', name: 'Both', config: { branches, outputVariable: 'both' } };
  const id = await paused(tenant, both, template('{{ both.people.all }} {{ both.systems.body.n }}'));
  const { page } = await openConsole({ tenant, screen: `/runs/${id}` });
  const question = (name: string) => page.getByRole('region', { name: `Question: Send ${name}?` });
  await question('a').getByText('each[0]/ask').waitFor();
  await question('a').getByRole('button', { name: 'Reject' }).click();
  await question('a').waitFor({ state: 'detached' });
  await question('b').getByRole('button', { name: 'Approve' }).click();
  await question('b').waitFor({ state: 'detached' });
  const callback = page.getByRole('region', { name: 'Callback of Hear' });
  const address = new URL(await callback.locator('code', { hasText: '/v1/callbacks/' }).innerText());
  await expectStatus(202, tenant.call('POST', address.pathname, { body: { n: 1 } }));
  await callback.waitFor({ state: 'detached' });
  expect(await outputOf(tenant, id)).toContain('a reject');
});

test('home has what flows ask, and is asked no more than it needs', async () => {
  const tenant = await newTenant();
  const id = await paused(tenant, approval({ question: 'Go on?' }), template('{{ said.choice }}'));
  const { page } = await openConsole({ tenant });
  const question = page.getByRole('region', { name: 'Question: Go on?' });
  await question.getByRole('button', { name: 'Reject' }).waitFor();
  await expectGoodScreen(page);
  await question.getByRole('button', { name: 'Reject' }).click();
  await question.waitFor({ state: 'detached' });
  expect(await outputOf(tenant, id)).toBe('reject');
  await page.getByText('Nothing is waiting').waitFor();
  const worker = await createScriptedAgent(tenant, { model: 'generic-openai/hanging' }, { name: 'Worker' });
  const { executionId } = await expectStatus(
    202,
    run(tenant, worker.id, 'Work', { options: { background: true } }),
  );
  const asked: string[] = [];
  page.on('request', (request) => asked.push(new URL(request.url()).pathname));
  await page.reload();
  await page.getByRole('table', { name: 'Running' }).getByRole('link', { name: 'Worker' }).waitFor();
  await page.getByText('Nothing is waiting').waitFor();
  expect(asked).toContain('/v1/runs');
  expect(asked.filter((path) => path.startsWith('/v1/runs/'))).toEqual([]);
  await expectStatus(200, tenant.call('POST', `/v1/runs/${executionId}/cancel`));
});

test('the records of a batch are answered on its page, and on home', async () => {
  const tenant = await newTenant();
  const flow = await publishedFlow(tenant, [approval(), template('{{ said.choice }}')]);
  const records = await createRecords(tenant, 'thing', 2);
  const body = { flowId: flow.id, recordIds: records.map(({ id }) => id) };
  const { batchExecutionId: batchId } = await expectStatus(
    200,
    tenant.call('POST', '/v1/batch/flow', { body }),
  );
  const { page } = await openConsole({ tenant, screen: `/runs/batches/${batchId}` });
  const question = (n: number) => page.getByRole('region', { name: `Question: Send thing-${n}?` });
  await question(1).waitFor();
  await question(0).getByRole('button', { name: 'Approve' }).click();
  await question(0).waitFor({ state: 'detached' });
  await page.getByRole('navigation', { name: 'Console' }).getByRole('link', { name: 'Home' }).click();
  await question(1).getByRole('button', { name: 'Approve' }).click();
  await question(1).waitFor({ state: 'detached' });
  expect(await finishedBatch(tenant, batchId)).toMatchObject({ status: 'completed', successCount: 2 });
});
