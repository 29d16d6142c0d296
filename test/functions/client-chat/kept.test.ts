import { expect, test } from 'vitest';
import { sendClientMessage } from '../../../functions/client-chat/send.ts';
import { modelDefaultsEntity, storePause } from '../../../shared/domain/model-configs/model-account.ts';
import { recentModelAccount } from '../../../shared/domain/model-configs/select-model.ts';
import { type StoredKey, tenantPartition } from '../../../shared/platform/data/keys.ts';
import { toStreamingLambda } from '../../../shared/platform/http/lambda/streaming-lambda.ts';
import { payloadNames } from '../../support/data/payload-bucket.ts';
import { createSpentBudget } from '../../support/flows/budgets.ts';
import { expectStatus } from '../../support/flows/flows.ts';
import { countingRuntime, newTenant, type Tenant } from '../../support/stack/stack.ts';
import { invokeStreaming, readStreamedAnswer } from '../../support/stack/streamed.ts';
import {
  agentChat,
  answerTo,
  lastEvent,
  onlyConversation,
  openPageStream,
  shop,
} from '../../support/surfaces/chat.ts';
import { replaceMessages } from '../../support/surfaces/conversations.ts';

type Chat = Awaited<ReturnType<typeof agentChat>>;

/** Sends a message to the Lambda in this process, which keeps something of its own. `answerTo` asks that of the stack. */
async function askHere({ tenant, sessionId }: Chat, content: string, more: object = {}) {
  const handler = toStreamingLambda(sendClientMessage, countingRuntime);
  const body = { sessionId, messages: [{ role: 'user', content, ...more }] };
  const headers = { 'content-type': 'application/json', origin: shop };
  const { stream, done } = invokeStreaming(handler, tenant, body, 60_000, { headers });
  const [{ head, body: text }] = await Promise.all([readStreamedAnswer(stream), done]);
  return { status: head.statusCode, text };
}

/** What the model got, which answers with it, without the system prompt. */
async function askMirror(chat: Chat, content: string): Promise<string[]> {
  const { status, text } = await askHere(chat, content);
  expect(status, text).toBe(200);
  const [, data = ''] = /event: execution_complete\n(?:id: .*\n)?data: (.*)\n/.exec(text) ?? [];
  const { messages } = JSON.parse(JSON.parse(data).finalOutput);
  return messages
    .filter(({ role }: { role: string }) => role === 'user')
    .map((message: { content: string }) => message.content);
}

const rolesOf = async (tenant: Tenant) =>
  (await onlyConversation(tenant)).messages.map(({ role }: { role: string }) => role);

test('a process that has answered before sees what others have added and replaced since', async () => {
  const chat = await agentChat({}, { model: 'generic-openai/mirror' });
  expect(await askMirror(chat, 'one')).toEqual(['one']);
  expect(await askMirror(chat, 'two')).toEqual(['one', 'two']);
  await answerTo(chat.sessionId, 'three');
  expect(await askMirror(chat, 'four')).toEqual(['one', 'two', 'three', 'four']);
  const { id } = await onlyConversation(chat.tenant);
  await replaceMessages(chat.tenant, id, [{ id: 'm', role: 'user', content: 'another' }]);
  expect(await askMirror(chat, 'five')).toEqual(['another', 'five']);
  await expectStatus(204, chat.tenant.call('DELETE', `/v1/conversations/${id}`));
  expect(await askMirror(chat, 'six')).toEqual(['six']);
});

test('two messages at once after the tenant has deleted the conversation begin a single one', async () => {
  const chat = await agentChat();
  expect((await askHere(chat, 'one')).status).toBe(200);
  const { id } = await onlyConversation(chat.tenant);
  await expectStatus(204, chat.tenant.call('DELETE', `/v1/conversations/${id}`));
  const both = await Promise.all(['two', 'three'].map((text) => askHere(chat, text)));
  expect(both.map(({ status }) => status)).toEqual([200, 200]);
  expect(await rolesOf(chat.tenant)).toEqual(['user', 'assistant', 'user', 'assistant']);
});

test('it also sees a budget that was spent since; the message stays without an answer', async () => {
  const chat = await agentChat();
  for (const text of ['one', 'two']) expect((await askHere(chat, text)).status).toBe(200);
  await createSpentBudget(chat.tenant);
  expect((await askHere(chat, 'three')).status).toBe(402);
  expect(await rolesOf(chat.tenant)).toEqual(['user', 'assistant', 'user', 'assistant', 'user']);
});

test('the models of a tenant are read again once they have changed, or a key was paused', async () => {
  const { tenant } = await newTenant();
  const scopeOf = () => countingRuntime().scopeOf(tenant);
  const { table } = scopeOf();
  const pausesAt = async (revision: number) =>
    ((await recentModelAccount(scopeOf(), revision)).pauses ?? []).map(({ id }) => id);
  const pause = (id: string) => storePause({ table }, { id, until: '2100-01-01T00:00:00.000Z', ttl: 4e9 });
  expect(await pausesAt(0)).toEqual([]);
  await pause('openai');
  expect(await pausesAt(0)).toEqual([]);
  expect(await pausesAt(1)).toEqual(['openai']);
  await Promise.all(['anthropic', 'google'].map(pause));
  expect((await table.get(modelDefaultsEntity, {}))?.revision).toBe(3);
  expect(await pausesAt(3)).toEqual(['anthropic', 'google', 'openai']);
});

test('an answer is added also if the conversation changes while its run is ending', async () => {
  const { tenant, sessionId } = await agentChat({}, { model: 'generic-openai/trickling' });
  const { events } = await openPageStream(sessionId, 'some words that take a while to repeat');
  await events?.next();
  const { id } = await onlyConversation(tenant);
  await expectStatus(200, tenant.call('PUT', `/v1/conversations/${id}`, { body: { title: 'Renamed' } }));
  const all = await Array.fromAsync(events ?? []);
  expect(all.at(-1)?.data.type).toBe('execution_complete');
  expect(await rolesOf(tenant)).toEqual(['user', 'assistant']);
  const { data } = await expectStatus(200, tenant.call('GET', '/v1/runs'));
  expect(data.map(({ status }: { status: string }) => status)).toEqual(['completed']);
  expect(lastEvent(await answerTo(sessionId, 'next')).type).toBe('execution_complete');
});

test('a message takes another place if somebody has the one that its process had before; 429 if none is free', async () => {
  const chat = await agentChat();
  const { table } = countingRuntime().scopeOf(chat.tenant.tenant);
  const takeAll = (places: number[], until: number) =>
    table.commit(
      places.map((place) => ({
        Update: {
          Key: { PK: `T#${chat.tenant.tenant}#PLACES#open-runs`, SK: String(place) } as StoredKey,
          UpdateExpression: 'SET #until = :until, #holder = :holder, #ttl = :ttl',
          ExpressionAttributeNames: { '#until': 'until', '#holder': 'holder', '#ttl': 'ttl' },
          ExpressionAttributeValues: { ':until': until, ':holder': 'another', ':ttl': 4e9 },
        },
      })),
    );
  expect((await askHere(chat, 'one')).status).toBe(200);
  const [had] = await table.queryAll({ partition: tenantPartition('PLACES#open-runs') });
  await takeAll([Number(had?.SK)], Date.now() + 60_000);
  expect((await askHere(chat, 'two')).status).toBe(200);
  const all = Array.from({ length: 50 }, (_, place) => place);
  await takeAll(all, Date.now() + 60_000);
  const { status, text } = await askHere(chat, 'three');
  expect([status, text]).toEqual([429, expect.stringContaining('50 runs are open')]);
  await takeAll(all, 0);
  expect((await askHere(chat, 'four')).status).toBe(200);
  const { messages } = await onlyConversation(chat.tenant);
  expect(messages.map(({ content }: { content: string }) => content)).toEqual(
    ['one', 'two', 'four'].flatMap((text) => [text, `You said: ${text}`]),
  );
});

test('a repeated message leaves nothing of the run that it does not start', async () => {
  const chat = await agentChat();
  const message = { id: 'm1' };
  expect((await askHere(chat, 'x'.repeat(20_000), message)).status).toBe(200);
  const before = await payloadNames(chat.tenant.tenant);
  expect((await askHere(chat, 'x'.repeat(20_000), message)).status).toBe(409);
  expect(await payloadNames(chat.tenant.tenant)).toEqual(before);
});
