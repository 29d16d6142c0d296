import { test as anyTest, expect } from 'vitest';
import { calls, createScriptedAgent, scripted } from '../../support/agents/agent-runs.ts';
import { noBrowser } from '../../support/console/browser.ts';
import { expectStatus } from '../../support/flows/flows.ts';
import { newTenant, stack } from '../../support/stack/stack.ts';
import { onlyConversation } from '../../support/surfaces/chat.ts';
import { createToken } from '../../support/surfaces/client-tokens.ts';
import {
  answersIn,
  openWidget,
  questionsIn,
  shoot,
  widgetSite,
  writeMessage,
} from '../../support/surfaces/widget.ts';

const test = anyTest.skipIf(noBrowser !== undefined);

/** A site whose widget talks to an agent. */
async function world(agentConfig: object = {}, changes: object = {}) {
  const tenant = await newTenant();
  const agent = await createScriptedAgent(tenant, agentConfig);
  const site = await widgetSite();
  const given = { agentIds: [agent.id], allowedOrigins: [site.host], ...changes };
  const { clientToken, token } = await createToken(tenant, given);
  site.show({ apiUrl: stack().url, clientToken: token as string });
  return { tenant, agent, site, clientToken, token: token as string };
}

test('the widget opens on a page of another origin, sends, gets the answer, and reloads with its history', async () => {
  const { site, tenant } = await world();
  expect(new URL(site.url).origin).not.toBe(new URL(stack().url).origin);
  const { page, complaints, requested } = await openWidget(site.url);
  await shoot(page, 'widget-open');
  await writeMessage(page, 'Do you have pears?');
  await answersIn(page).getByText('You said: Do you have pears?').waitFor();
  await shoot(page, 'widget-answer');
  await page.reload();
  await answersIn(page).getByText('You said: Do you have pears?').waitFor();
  expect(await questionsIn(page).allInnerTexts()).toEqual([expect.stringContaining('Do you have pears?')]);
  await writeMessage(page, 'And apples?');
  await answersIn(page).getByText('You said: And apples?').waitFor();
  await shoot(page, 'widget-reloaded');
  // It is the same session, and its conversation.
  const { messages } = await onlyConversation(tenant);
  expect(messages).toMatchObject([
    { role: 'user', content: 'Do you have pears?' },
    { role: 'assistant' },
    { role: 'user', content: 'And apples?' },
    { role: 'assistant' },
  ]);
  expect(requested).toContain(`${stack().url}/v1/client/chat`);
  expect(complaints).toEqual([]);
}, 60_000);

test('the widget shows an answer while it comes', async () => {
  const { site } = await world({ model: 'generic-openai/trickling' });
  const { page } = await openWidget(site.url);
  await writeMessage(page, 'one two three four five six seven eight');
  // The model sends ten pieces, one each 100 ms.
  const counts = new Set<number>();
  const pieces = async () => {
    const text = await answersIn(page)
      .last()
      .innerText({ timeout: 1_000 })
      .catch(() => '');
    const count = text.match(/\d{13}/g)?.length ?? 0;
    counts.add(count);
    if (count === 5) await shoot(page, 'widget-streaming');
    return count;
  };
  await expect.poll(pieces, { timeout: 20_000, interval: 30 }).toBe(10);
  expect([...counts].filter((count) => count > 0 && count < 10).length).toBeGreaterThan(2);
}, 60_000);

test('the widget tells the visitor that a token does not allow the origin of its page', async () => {
  const { site } = await world({}, { allowedOrigins: ['shop.example.com'] });
  const { page } = await openWidget(site.url);
  await writeMessage(page, 'Hello');
  await answersIn(page).getByText('Origin not allowed').waitFor();
  await shoot(page, 'widget-refused');
}, 60_000);

const search = {
  name: 'search',
  description: 'Searches the shop',
  inputSchema: { type: 'object', properties: { q: { type: 'string' } } },
};

test('an agent uses a tool of the page, after the visitor allowed it', async () => {
  const { site, token, tenant } = await world({}, { config: { clientTools: true } });
  site.show({ apiUrl: stack().url, clientToken: token, webmcp: { enabled: true } });
  const { page, complaints } = await openWidget(site.url);
  // The widget brings the interface for tools of pages with its first message.
  await writeMessage(page, 'Hello');
  await answersIn(page).getByText('You said: Hello').waitFor();
  await page.evaluate((tool) => {
    const { modelContext } = document as unknown as {
      modelContext: { registerTool: (given: object) => void };
    };
    const execute = ({ q }: { q: string }) => ({ content: [{ type: 'text', text: `3 kinds of ${q}` }] });
    modelContext.registerTool({ ...tool, execute });
  }, search);
  await writeMessage(page, scripted(calls(['webmcp_search', { q: 'pears' }]), { text: 'We have pears' }));
  await page.getByRole('button', { name: 'Allow' }).click();
  await answersIn(page).getByText('We have pears').waitFor();
  await shoot(page, 'widget-page-tool');
  const { messages } = await onlyConversation(tenant);
  expect(messages.at(-1)).toMatchObject({ role: 'assistant', content: 'We have pears' });
  expect(complaints).toEqual([]);
}, 60_000);

const gated = { tools: { toolIds: ['builtin:calculator'], approval: { require: ['calculator'] } } };
/** By itself the widget sends decisions to the endpoint for keys, so the page tells it where a session decides. */
const deciding = (apiUrl: string) => `{
  approval: {
    onDecision: ({ executionId, approvalId }, decision) =>
      fetch('${apiUrl}/v1/client/approve', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({
          sessionId: localStorage.getItem('session'),
          executionId,
          approvalId,
          decision,
          streamResponse: true,
        }),
      }),
  },
}`;
const reckoning = scripted(calls(['calculator', { expression: '6 * 7' }]), { text: 'That is 42' });

test.each(['Allow', 'Deny'])(
  'the visitor decides about a call: %s',
  async (decision) => {
    const { site, agent, tenant, token } = await world(gated, { config: { approvals: true } });
    site.show({ apiUrl: stack().url, clientToken: token }, deciding(stack().url));
    const { page, complaints } = await openWidget(site.url);
    await writeMessage(page, reckoning);
    const button = page.getByRole('button', { name: decision });
    await button.waitFor();
    await shoot(page, `widget-approval-${decision.toLowerCase()}`);
    await button.click();
    await answersIn(page).getByText('That is 42').waitFor();
    await shoot(page, `widget-approval-${decision.toLowerCase()}-done`);
    const of = `/v1/agents/${agent.id}/executions`;
    const { data } = await expectStatus(200, tenant.call('GET', of));
    const { toolCalls } = await expectStatus(200, tenant.call('GET', `${of}/${data[0].id}/tool-calls`));
    const status = decision === 'Allow' ? 'completed' : 'failed';
    expect(toolCalls).toMatchObject([{ toolName: 'calculator', status }]);
    expect(complaints).toEqual([]);
  },
  60_000,
);
