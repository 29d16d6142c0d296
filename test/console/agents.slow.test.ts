import { expect } from 'vitest';
import {
  expectGoodScreen,
  goTo,
  openConsole,
  tabTo,
  browserTest as test,
} from '../support/console/console.ts';
import { expectStatus } from '../support/flows/flows.ts';
import { newConfig } from '../support/models/model-configs.ts';
import { newTenant } from '../support/stack/stack.ts';

const call = { toolCalls: [{ name: 'calculator', arguments: { expression: '6*7' } }] };
const script = JSON.stringify([call, { text: 'It is <b>42</b>.' }]);

test('with the keyboard alone: creates an agent, gives it a tool and instructions, saves, publishes', async () => {
  const { page, tenant, complaints } = await openConsole({ screen: '/agents' });
  await page.getByText('No agents yet').waitFor();
  await expectGoodScreen(page);
  await tabTo(page, 'button', 'Create agent');
  await page.keyboard.press('Enter');
  await page.getByRole('alertdialog').waitFor();
  await page.keyboard.type('Airport guide');
  await page.keyboard.press('Tab');
  await page.keyboard.type('generic-openai/scripted');
  await expectGoodScreen(page);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Airport guide', level: 1 }).waitFor();
  await tabTo(page, 'combobox', 'Model');
  await page.keyboard.press('Tab');
  await page.keyboard.type('You know airports.');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Tab');
  await page.getByRole('checkbox', { name: 'Calculator' }).waitFor();
  await tabTo(page, 'checkbox', 'Calculator');
  await page.keyboard.press('Space');
  await page.getByText('Unsaved changes').waitFor();
  await expectGoodScreen(page);
  await tabTo(page, 'button', 'Save');
  await page.keyboard.press('Enter');
  await page.getByText('Draft saved').waitFor();
  await tabTo(page, 'link', 'Versions');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Publish' }).first().waitFor();
  await tabTo(page, 'button', 'Publish');
  await page.keyboard.press('Enter');
  await page.getByRole('alertdialog', { name: 'Publish the draft?' }).waitFor();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.getByText('published', { exact: true }).waitFor();
  await expectGoodScreen(page);
  const { body } = await (await newTenant(ownerOf(tenant))).call('GET', '/v1/agents');
  expect(body.data[0].config).toEqual({
    model: 'generic-openai/scripted',
    systemPrompt: 'You know airports.',
    tools: { toolIds: ['builtin:calculator'] },
  });
  expect(complaints).toEqual([]);
});

test('a model is chosen and shown by its name, with its provider, price and what it lacks', async () => {
  const tenant = await newTenant();
  const config = await newConfig(tenant, { provider: 'openai', modelId: 'gpt-5-mini' });
  const agent = await expectStatus(
    201,
    tenant.call('POST', '/v1/agents', { body: { name: 'Helper', config: { model: config.id } } }),
  );
  const { page, complaints } = await openConsole({ tenant, screen: '/agents' });
  await page.getByRole('cell', { name: 'GPT-5 Mini' }).waitFor();
  await goTo(page, `/agents/${agent.id}`);
  const field = page.getByRole('combobox', { name: 'Model' }).first();
  await expect.poll(() => field.inputValue()).toBe('GPT-5 Mini');
  await page.getByText('OpenAI, $0.25 in, $2.00 out per million tokens, needs a key').first().waitFor();
  await expectGoodScreen(page);
  await field.fill('sonnet anthropic');
  const option = page.getByRole('option').first();
  await option.waitFor();
  const name = (await option.locator('bdi').innerText()).trim();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expect.poll(() => field.inputValue()).toBe(name);
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Draft saved').waitFor();
  const { body } = await tenant.call('GET', `/v1/agents/${agent.id}`);
  expect(body.config.model).toMatch(/^anthropic\/.*sonnet/);
  expect(complaints).toEqual([]);
});

test('chats: an allowed call runs, the text is no HTML, the next answer knows the first; the run shows it all', async () => {
  const tenant = await newTenant();
  const config = {
    model: 'generic-openai/scripted',
    systemPrompt: 'You calculate.',
    loopConfig: { maxTurns: 5 },
    tools: { toolIds: ['builtin:calculator'], approval: { require: true } },
  };
  const name = `‏שלום${'x'.repeat(240)}`;
  const { body: agent } = await tenant.call('POST', '/v1/agents', { body: { name, config } });
  const { page, complaints } = await openConsole({
    tenant,
    screen: `/agents/${agent.id}/chat`,
  });
  await page.setViewportSize({ width: 390, height: 800 });
  await page.getByLabel('Message').fill(script);
  await page.getByRole('button', { name: 'Send' }).click();
  await page.getByText('May the agent call').waitFor();
  await expectGoodScreen(page);
  await page.getByRole('button', { name: 'Allow' }).click();
  await page.getByText('It is <b>42</b>.', { exact: true }).waitFor();
  await page.getByText(/^1 answer · .* tokens in/).waitFor();
  await page.getByLabel('Message').fill('And now?');
  await page.keyboard.press('Enter');
  await page.getByText('It is <b>42</b>.', { exact: true }).nth(1).waitFor();
  const open = page.getByRole('link', { name: 'Open run' }).first();
  const executionId = (await open.getAttribute('href'))?.split('/').at(-1);
  await open.click();
  await page.waitForURL(`**/console#/runs/${executionId}`);
  await goTo(page, `/runs/agents/${agent.id}/${executionId}`);
  await page.getByRole('heading', { name: 'Turn 2' }).waitFor();
  await page.getByText('calculator', { exact: true }).click();
  await page.getByRole('group', { name: 'Output' }).getByText('42').waitFor();
  await page.getByText('The call was approved').waitFor();
  await expectGoodScreen(page);
  await goTo(page, `/agents/${agent.id}/runs`);
  await page.getByRole('cell', { name: 'completed' }).first().waitFor();
  await expectGoodScreen(page);
  expect(complaints).toEqual([]);
});

test('the playground says which version runs, what its tools may do, and publishes the draft as a version', async () => {
  const tenant = await newTenant();
  const tools = {
    toolIds: ['builtin:calculator', 'builtin:fetch-url'],
    approval: { require: ['calculator'] },
  };
  const config = { model: 'generic-openai/scripted', systemPrompt: 'You calculate.', tools };
  const { body: agent } = await tenant.call('POST', '/v1/agents', { body: { name: 'Tuned', config } });
  const { page, complaints } = await openConsole({ tenant, screen: `/agents/${agent.id}/chat` });
  await page.getByText('Runs the draft.').waitFor();
  await page.getByRole('radio', { name: 'Published version' }).check();
  await page.getByText('No published version').waitFor();
  await page.getByRole('radio', { name: 'Draft' }).check();
  const badgesOf = (tool: string) =>
    page.locator('.agents-tool', { hasText: tool }).locator('.agents-badge').allInnerTexts();
  await page.getByRole('checkbox', { name: 'Calculator' }).waitFor();
  expect(await badgesOf('Calculator')).toEqual(['Built in', 'No side effects', 'Needs approval']);
  expect(await badgesOf('Fetch')).toEqual(['Built in', 'Side effects', 'No approval']);
  await page.getByRole('combobox', { name: 'Model' }).fill('generic-openai/echo');
  await page.getByText('Save your changes to run them').waitFor();
  await expectGoodScreen(page);
  await page.getByRole('button', { name: 'Save as version' }).click();
  await page.getByRole('button', { name: 'Publish' }).click();
  await page.getByText('Version published').waitFor();
  await page.getByRole('radio', { name: 'Published version' }).check();
  await page.getByRole('region', { name: 'Configuration' }).getByText('generic-openai/echo').waitFor();
  await expectGoodScreen(page);
  const sent = page.waitForRequest((request) => request.url().endsWith('/execute'));
  await page.getByLabel('Message').fill('Hello');
  await page.keyboard.press('Enter');
  expect((await sent).postDataJSON().options).toEqual({ version: 'published' });
  await page.getByText(/^1 answer · /).waitFor();
  const { body } = await tenant.call('GET', `/v1/agent-versions/${agent.id}/published`);
  expect(body.agentConfig.config).toEqual({ ...config, model: 'generic-openai/echo' });
  expect(complaints).toEqual([]);
});

test('a chat goes on after a run was cancelled while it waited', async () => {
  const tenant = await newTenant();
  const { body: agent } = await tenant.call('POST', '/v1/agents', { body: asksFirst('scripted') });
  const { page, complaints } = await openConsole({ tenant, screen: `/agents/${agent.id}/chat` });
  await page.getByLabel('Message').fill(script);
  await page.keyboard.press('Enter');
  await page.getByText('May the agent call').waitFor();
  await page.getByRole('button', { name: 'Cancel' }).click();
  const ends = page.getByRole('strong').filter({ hasText: 'The run was cancelled' });
  await ends.waitFor();
  expect(await page.getByText('May the agent call').count()).toBe(0);
  await page.getByLabel('Message').fill('Hello?');
  await page.keyboard.press('Enter');
  await page.getByText('May the agent call').waitFor();
  // Somebody else cancels this one.
  const { body: list } = await tenant.call('GET', `/v1/agents/${agent.id}/executions`);
  await tenant.call('POST', `/v1/agents/${agent.id}/executions/${list.data[0].id}/cancel`);
  await ends.nth(1).waitFor();
  expect(complaints).toEqual([]);
});

test('a run that is allowed to go on where it is shown may take its time', async () => {
  const tenant = await newTenant();
  const { body: agent } = await tenant.call('POST', '/v1/agents', { body: asksFirst('scripted-slow') });
  const { body: paused } = await tenant.call('POST', `/v1/agents/${agent.id}/execute`, {
    body: { messages: [{ role: 'user', content: script }], options: { streamResponse: false } },
  });
  const screen = `/runs/agents/${agent.id}/${paused.executionId}`;
  const { page, complaints } = await openConsole({ tenant, screen });
  await page.getByRole('button', { name: 'Allow' }).click();
  await page.getByText('It is <b>42</b>.', { exact: true }).first().waitFor();
  await page.getByText('completed', { exact: true }).first().waitFor();
  expect(complaints).toEqual([]);
});

test('a message that is not sent asks before its chat is left', async () => {
  const tenant = await newTenant();
  const { body: agent } = await tenant.call('POST', '/v1/agents', { body: asksFirst('scripted') });
  const { page } = await openConsole({ tenant, screen: `/agents/${agent.id}/chat` });
  await page.getByLabel('Message').fill('Which airport is the highest?');
  await page.getByRole('navigation', { name: 'Agent' }).getByRole('link', { name: 'Runs' }).click();
  await page.getByRole('alertdialog', { name: 'Leave without saving?' }).waitFor();
  await page.getByRole('button', { name: 'Stay' }).click();
  expect(await page.getByLabel('Message').inputValue()).toBe('Which airport is the highest?');
  await page.getByLabel('Message').fill('');
  await page.getByRole('navigation', { name: 'Agent' }).getByRole('link', { name: 'Runs' }).click();
  await page.getByLabel('Status').waitFor();
});

test('a call that one denies is not executed, and the agent is told why', async () => {
  const tenant = await newTenant();
  const { body: agent } = await tenant.call('POST', '/v1/agents', { body: asksFirst('scripted') });
  const { body: paused } = await tenant.call('POST', `/v1/agents/${agent.id}/execute`, {
    body: { messages: [{ role: 'user', content: script }], options: { streamResponse: false } },
  });
  const screen = `/runs/agents/${agent.id}/${paused.executionId}`;
  const { page, complaints } = await openConsole({ tenant, screen });
  await page.getByRole('button', { name: 'Deny' }).click();
  await page.getByText('The call was denied').waitFor();
  expect(await page.evaluate(() => document.activeElement !== document.body)).toBe(true);
  await page.getByText('completed', { exact: true }).first().waitFor();
  const { body } = await tenant.call(
    'GET',
    `/v1/agents/${agent.id}/executions/${paused.executionId}/tool-calls`,
  );
  expect(JSON.stringify(body)).not.toContain('"42"');
  expect(complaints).toEqual([]);
});

test('the list of runs asks again only for those in view that have not ended', async () => {
  const tenant = await newTenant();
  const { body: agent } = await tenant.call('POST', '/v1/agents', { body: asksFirst('scripted') });
  const run = async (content: string) => {
    const body = { messages: [{ role: 'user', content }], options: { streamResponse: false } };
    return (await tenant.call('POST', `/v1/agents/${agent.id}/execute`, { body })).body.executionId;
  };
  const [ended, paused] = [await run('Hello'), await run(script)];
  const { page } = await openConsole({ tenant });
  const asked: string[] = [];
  page.on('request', (request) => {
    if (request.method() === 'GET' && request.url().includes('/executions')) asked.push(request.url());
  });
  await page.clock.install();
  await goTo(page, `/agents/${agent.id}/runs`);
  await page.getByRole('cell', { name: 'paused' }).waitFor();
  await page.getByRole('cell', { name: 'completed' }).waitFor();
  await tenant.call('POST', `/v1/agents/${agent.id}/executions/${paused}/cancel`);
  await page.clock.runFor(16_000);
  await page.getByRole('cell', { name: 'cancelled' }).waitFor();
  await page.clock.runFor(60_000);
  expect(asked.filter((url) => !url.includes('executionId='))).toHaveLength(1);
  expect(asked.filter((url) => url.includes(paused)).length).toBeLessThan(4);
  expect(asked.filter((url) => url.includes(ended))).toEqual([]);
});

test('the run of a sub-agent is shown inside of the call that started it, and by itself', async () => {
  const tenant = await newTenant();
  const config = { model: 'generic-openai/scripted', loopConfig: { maxTurns: 5 } };
  const create = async (body: object) => (await tenant.call('POST', '/v1/agents', { body })).body;
  const inner = await create({
    name: 'شريك <b>',
    config: { ...config, tools: { toolIds: ['builtin:calculator'] } },
  });
  const outer = await create({
    name: 'Chief',
    config,
    capabilities: [{ toolName: 'ask', subAgentId: inner.id }],
  });
  const asks = { toolCalls: [{ name: 'ask', arguments: { message: script } }] };
  const content = JSON.stringify([asks, { text: 'They know.' }]);
  const { page, complaints } = await openConsole({ tenant, screen: `/agents/${outer.id}/chat` });
  await page.getByLabel('Message').fill(content);
  await page.keyboard.press('Enter');
  await page.getByText('They know.', { exact: true }).waitFor();
  const open = await page.getByRole('link', { name: 'Open run' }).getAttribute('href');
  await goTo(page, `/runs/agents/${outer.id}/${open?.split('/').at(-1)}`);
  await page.getByRole('heading', { name: 'Run of Chief', level: 1 }).waitFor();
  await page.getByText('ask', { exact: true }).click();
  const run = page.getByRole('region', { name: 'Run of شريك <b>' });
  await run.getByText('It is <b>42</b>.', { exact: true }).waitFor();
  await run.getByText('calculator', { exact: true }).click();
  await run.getByRole('group', { name: 'Output' }).getByText('42').waitFor();
  await expectGoodScreen(page);
  await run.getByRole('link', { name: 'Open this run' }).click();
  await page.getByRole('heading', { name: 'Run of شريك <b>', level: 1 }).waitFor();
  await page.getByRole('link', { name: 'a run of Chief' }).click();
  await page.getByRole('heading', { name: 'Run of Chief', level: 1 }).waitFor();
  expect(complaints).toEqual([]);
});

const asksFirst = (model: string) => ({
  name: 'Careful',
  config: {
    model: `generic-openai/${model}`,
    loopConfig: { maxTurns: 5 },
    tools: { toolIds: ['builtin:calculator'], approval: { require: true } },
  },
});

test('a failed run says why, and a session that may only read sees what is missing', async () => {
  const tenant = await newTenant();
  const config = { model: 'generic-openai/refusing' };
  const { body: agent } = await tenant.call('POST', '/v1/agents', { body: { name: 'Refused', config } });
  const owner = await openConsole({ tenant, screen: `/agents/${agent.id}/chat` });
  await owner.page.getByLabel('Message').fill('Hello');
  await owner.page.keyboard.press('Enter');
  await owner.page.getByText('The prompt was refused').waitFor();
  const { page } = await openConsole({
    tenant,
    screen: `/agents/${agent.id}/chat`,
    permissions: ['AGENTS:READ'],
  });
  await page.getByLabel('Message').fill('Hello');
  await page.keyboard.press('Enter');
  await page.getByText('AGENTS:EXECUTE').waitFor();
  await goTo(page, `/agents/${agent.id}`);
  await page.getByText('TOOLS:READ').first().waitFor();
  await expectGoodScreen(page);
});

const ownerOf = ({ userId, organizationId }: { userId: string; organizationId: string | null }) => ({
  userId,
  ...(organizationId && { organizationId }),
});

test('on a phone the conversation comes first, and what one wrote stays when the window becomes wide', async () => {
  const tenant = await newTenant();
  const body = { name: 'Guide', config: { model: 'generic-openai/scripted', systemPrompt: 'You guide.' } };
  const { body: agent } = await tenant.call('POST', '/v1/agents', { body });
  const viewport = { width: 390, height: 844 };
  const { page } = await openConsole({ tenant, screen: `/agents/${agent.id}/chat`, viewport });
  const message = page.getByLabel('Message');
  const instructions = page.getByRole('textbox', { name: 'Instructions' });
  await instructions.waitFor();
  const topOf = async (part: typeof message) => (await part.boundingBox())?.y ?? 0;
  expect(await topOf(message)).toBeLessThan(844);
  expect(await topOf(message)).toBeLessThan(await topOf(instructions));
  await expectGoodScreen(page);
  await message.fill('Where is Hilo?');
  await tabTo(page, 'textbox', 'Instructions');
  await instructions.pressSequentially('Briefly. ');
  await page.setViewportSize({ width: 1280, height: 900 });
  const left = async (part: typeof message) => (await part.boundingBox())?.x ?? 0;
  await expect.poll(async () => (await left(instructions)) < (await left(message))).toBe(true);
  expect(await message.inputValue()).toBe('Where is Hilo?');
  await instructions.getByText('Briefly.').waitFor();
  await page.getByText('Save your changes to run them').waitFor();
});
