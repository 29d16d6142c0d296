import { expect, test } from 'vitest';
import { expectStatus } from '../../support/flows/flows.ts';
import { eventually } from '../../support/stack/eventually.ts';
import type { Tenant } from '../../support/stack/stack.ts';
import {
  agentChat,
  answerTo,
  chatWorld,
  getAsPage,
  onlyConversation,
  openPageStream,
  openSession,
} from '../../support/surfaces/chat.ts';

const slow = { model: 'generic-openai/trickling' };
const long = Array.from({ length: 200 }, (_, n) => `word${n}`).join(' ');
const prompt = {
  type: 'prompt',
  name: 'Answers',
  config: { model: 'generic-openai/any', userPrompt: 'Say something', outputVariable: 'answer' },
};

/** What all model calls of a tenant used. */
async function modelUsageOf({ call }: Tenant) {
  const { summary } = await expectStatus(200, call('GET', '/v1/model-usage'));
  return summary.totalTokens as number;
}

const tokensOf = ({ inputTokens, outputTokens }: { inputTokens: number; outputTokens: number }) =>
  inputTokens + outputTokens;

test('a conversation says what its answers used, and the list of its token too', async () => {
  const { tenant, clientToken, sessionId } = await agentChat();
  await answerTo(sessionId, 'Hello');
  const { usage: first } = await onlyConversation(tenant);
  await answerTo(sessionId, 'Again');
  const { usage } = await onlyConversation(tenant);
  expect(tokensOf(usage)).toBeGreaterThan(tokensOf(first));
  expect(tokensOf(usage)).toBe(await modelUsageOf(tenant));
  const path = `/v1/client-tokens/${clientToken.id}/conversations`;
  const { conversations } = await expectStatus(200, tenant.call('GET', path));
  expect(conversations).toMatchObject([{ usage }]);
  // Visitors do not learn it.
  const seen = await expectStatus(200, getAsPage('conversations', sessionId));
  expect(JSON.stringify(seen)).not.toMatch(/usage|tokens|cost/i);
});

test('the answers of a flow count as well', async () => {
  const { tenant, token } = await chatWorld([prompt]);
  const { sessionId } = await expectStatus(200, openSession(token));
  await answerTo(sessionId, 'Hello');
  const { usage } = await onlyConversation(tenant);
  expect(tokensOf(usage)).toBe(await modelUsageOf(tenant));
  expect(tokensOf(usage)).toBeGreaterThan(0);
});

test('so does an answer that was interrupted', async () => {
  const { tenant, sessionId } = await agentChat({}, slow);
  const { events } = await openPageStream(sessionId, long);
  await events?.next();
  await answerTo(sessionId, 'now', { submitMode: 'interrupt' });
  await Array.fromAsync(events ?? []);
  await eventually(async () =>
    expect(tokensOf((await onlyConversation(tenant)).usage)).toBe(await modelUsageOf(tenant)),
  );
});

test('null without an answer; a change of the conversation keeps it', async () => {
  const { tenant, sessionId } = await agentChat();
  const { id, usage } = await expectStatus(201, tenant.call('POST', '/v1/conversations', { body: {} }));
  expect(usage).toBeNull();
  await expectStatus(204, tenant.call('DELETE', `/v1/conversations/${id}`));
  await answerTo(sessionId, 'Hello');
  const before = await onlyConversation(tenant);
  const body = { title: 'Other', messages: [] };
  const after = await expectStatus(200, tenant.call('PUT', `/v1/conversations/${before.id}`, { body }));
  expect(after.usage).toEqual(before.usage);
});
