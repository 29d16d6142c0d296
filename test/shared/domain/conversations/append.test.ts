import { afterEach, expect, test, vi } from 'vitest';
import { hasCode } from '../../../../shared/core/errors/errors.ts';
import {
  conversationEntity,
  conversationPartition,
} from '../../../../shared/domain/conversations/conversation.ts';
import {
  conversationStore,
  messageAppender,
} from '../../../../shared/domain/conversations/conversation-store.ts';
import { conversationExporter, messagePages } from '../../../../shared/domain/conversations/message-pages.ts';
import { countingRuntime, newTenant } from '../../../support/stack/stack.ts';
import { alternatingMessages } from '../../../support/surfaces/conversations.ts';

afterEach(() => vi.unstubAllEnvs());

async function world() {
  const { tenant, userId } = await newTenant();
  const { scopeOf, consumed, reset } = countingRuntime();
  const scope = scopeOf(tenant);
  const store = conversationStore(scope);
  const conversation = await store.create({ userId, organizationId: null }, { title: 'x' });
  const { id } = conversation;
  const read = async () => {
    const { messages } = await messagePages(scope).readBefore(await store.find(id), { limit: 200 });
    return messages.map((message) => message.id);
  };
  const items = () => scope.table.queryAll({ partition: conversationPartition(id) });
  return { scope, store, id, conversation, read, items, append: messageAppender(scope), consumed, reset };
}

test('messages are added in order, counted, and the first of a user is kept', async () => {
  const { append, id, read, store } = await world();
  await append(id, [{ id: 's', role: 'system', content: 'Be brief' }]);
  const { conversation: after, added } = await append(id, alternatingMessages(3));
  expect(added).toBe(3);
  expect(after).toMatchObject({ messageCount: 4, firstMessage: 'message 0', revision: 3 });
  expect(await store.find(id)).toEqual(after);
  expect(await read()).toEqual(['s', 'm0', 'm1', 'm2']);
});

test('a repeated request adds nothing, and one with some new messages adds those', async () => {
  const { append, id, read } = await world();
  const [one, two, three] = alternatingMessages(3) as [
    ReturnType<typeof alternatingMessages>[0],
    ReturnType<typeof alternatingMessages>[0],
    ReturnType<typeof alternatingMessages>[0],
  ];
  await append(id, [one, two]);
  const again = await append(id, [one, { ...two, content: 'other' }]);
  expect(again).toMatchObject({ added: 0, conversation: { messageCount: 2 } });
  expect(await append(id, [two, three, three])).toMatchObject({
    added: 1,
    conversation: { messageCount: 3 },
  });
  expect(await read()).toEqual(['m0', 'm1', 'm2']);
});

test('parallel writers lose no message; each is told if it has to send its message again', async () => {
  const { append, id, read, store } = await world();
  const attempts = alternatingMessages(30).map((message) =>
    append(id, [message]).then(
      () => message.id,
      (error) => {
        if (!hasCode(error, 'CONFLICT')) throw error;
      },
    ),
  );
  const added = (await Promise.all(attempts)).filter((each) => each !== undefined);
  expect(added.length).toBeGreaterThan(0);
  const stored = await read();
  expect(stored.toSorted()).toEqual(added.toSorted());
  expect((await store.find(id)).messageCount).toBe(stored.length);
});

test('the same message by parallel writers is stored once', async () => {
  const { append, id, read } = await world();
  const [message] = alternatingMessages(1);
  if (!message) throw new Error('There is none');
  await Promise.all(Array.from({ length: 8 }, () => append(id, [message])));
  expect(await read()).toEqual(['m0']);
});

test('a conversation that is not the one known is read again', async () => {
  const { append, id, conversation, read } = await world();
  await append(id, alternatingMessages(2), { current: conversation });
  await append(id, [{ id: 'c', role: 'user', content: 'x' }], { current: conversation });
  expect(await read()).toEqual(['m0', 'm1', 'c']);
});

test('a message is never added to messages that were replaced meanwhile', async () => {
  const { append, id, read, store } = await world();
  const { conversation: before } = await append(id, alternatingMessages(5));
  await store.update(id, { messages: alternatingMessages(2) });
  const { conversation: after } = await append(id, [{ id: 'c', role: 'user', content: 'x' }], {
    current: before,
  });
  expect(after.messageCount).toBe(3);
  expect(await read()).toEqual(['m0', 'm1', 'c']);
});

test('a rename among parallel writers loses no message', async () => {
  const { append, id, read, store } = await world();
  const ignoreConflict = (error: unknown) => {
    if (!hasCode(error, 'CONFLICT')) throw error;
  };
  await Promise.all([
    ...alternatingMessages(6).map((message) => append(id, [message]).catch(ignoreConflict)),
    ...['a', 'b', 'c'].map((title) => store.update(id, { title }).catch(ignoreConflict)),
  ]);
  const { messageCount, title } = await store.find(id);
  expect(messageCount).toBe((await read()).length);
  expect(['a', 'b', 'c']).toContain(title);
});

test('an append is one transaction, with the writes of the caller', async () => {
  const { append, id, conversation, consumed, reset, scope, items } = await world();
  const other = { ...conversation, id: `conv_${'0'.repeat(26)}` };
  const { metadata: _metadata, ...rest } = other;
  const alsoWrite = [scope.table.writes.insert(conversationEntity, { ...rest, metadata: '{}' })];
  reset();
  await append(id, alternatingMessages(2), { current: conversation, alsoWrite });
  expect(consumed.commands).toEqual(['TransactWriteItems']);
  // The second insertion is refused, so nothing is stored, however often it is repeated.
  const added = alternatingMessages(3).slice(2);
  await expect(append(id, added, { alsoWrite })).rejects.toMatchObject({ code: 'CONFLICT' });
  expect(await items()).toHaveLength(5);
});

test('404 for a conversation that was deleted meanwhile', async () => {
  const { append, id, conversation, store } = await world();
  await store.remove(id);
  await expect(append(id, alternatingMessages(1))).rejects.toMatchObject({ code: 'NOT_FOUND' });
  await expect(append(id, alternatingMessages(1), { current: conversation })).rejects.toMatchObject({
    code: 'NOT_FOUND',
  });
});

test('replacing messages while another request adds one is a conflict, and loses neither', async () => {
  const { append, id, store, read, scope } = await world();
  await append(id, alternatingMessages(1));
  const racing = conversationStore({
    ...scope,
    table: {
      ...scope.table,
      async commit(writes) {
        if (writes.length > 1) await append(id, [{ id: 'racer', role: 'user', content: 'x' }]);
        await scope.table.commit(writes);
      },
    },
  });
  await expect(racing.update(id, { messages: alternatingMessages(2) })).rejects.toMatchObject({
    code: 'CONFLICT',
  });
  expect(await read()).toEqual(['m0', 'racer']);
  // What the failed request wrote is removed by the next that succeeds.
  await store.update(id, { messages: alternatingMessages(2) });
  expect(await read()).toEqual(['m0', 'm1']);
});

test('40 messages of 200 KB fit a transaction: most are in the bucket', async () => {
  const { append, id, items } = await world();
  const {
    conversation: { messageCount },
  } = await append(
    id,
    alternatingMessages(40, () => '"'.repeat(100_000)),
  );
  expect(messageCount).toBe(40);
  const pointers = (await items()).filter(({ content }) => (content as { pointer?: string })?.pointer);
  expect(pointers).toHaveLength(40);
  await expect(append(id, alternatingMessages(41))).rejects.toThrow('40 messages');
});

test('with a retention, each message expires after its writing, and the conversation after its last change', async () => {
  vi.stubEnv('CONVERSATION_RETENTION_DAYS', '30');
  const { scope, id, items } = await world();
  const at = Date.parse('2026-11-22T00:00:00Z');
  const later = { ...scope, now: () => new Date(at + 86_400_000) };
  await messageAppender({ ...scope, now: () => new Date(at) })(id, alternatingMessages(1));
  await messageAppender(later)(id, alternatingMessages(2));
  const expiries = (await items()).map(({ SK, ttl }) => [SK.split('#')[0], Number(ttl) - at / 1_000]);
  const day = 86_400;
  expect(expiries).toEqual([
    ['CONVERSATION', 31 * day],
    ...[30, 31].map(() => ['ID', expect.any(Number)]),
    ['MESSAGE', 30 * day],
    ['MESSAGE', 31 * day],
  ]);
  await conversationStore({ ...scope, now: () => new Date(at + 2 * 86_400_000) }).update(id, { title: 'y' });
  expect((await items())[0]?.ttl).toBe(at / 1_000 + 32 * day);
});

test('without a retention, nothing expires, also not a conversation from when there was one', async () => {
  const { append, store, id, items } = await world();
  await append(id, alternatingMessages(1));
  expect((await items()).map(({ ttl }) => ttl)).toEqual([undefined, undefined, undefined]);
  for (const change of [() => append(id, alternatingMessages(2)), () => store.update(id, { title: 'y' })]) {
    vi.stubEnv('CONVERSATION_RETENTION_DAYS', '30');
    await store.update(id, { title: 'x' });
    expect((await items())[0]?.ttl).toBeGreaterThan(Date.now() / 1_000);
    vi.unstubAllEnvs();
    await change();
    expect((await items())[0]?.ttl).toBeUndefined();
    expect((await store.find(id)).ttl).toBeUndefined();
  }
});

test('an export over 100 MB says where it goes on', async () => {
  const { scope, conversation } = await world();
  const text = 'x'.repeat(30_000_000);
  const walk = async function* (_conversation: unknown, { from = 0 }: { from?: number }) {
    const all = alternatingMessages(6, () => text).map((message, number) => ({
      ...message,
      createdAt: '',
      number,
    }));
    yield all.slice(from);
  };
  const exporter = conversationExporter(scope, { walk } as never);
  const linesOf = async (after?: string) =>
    (await Array.fromAsync(exporter(conversation, {}, after))).map((line) => {
      const { content: _content, ...rest } = JSON.parse(line);
      return rest;
    });
  const first = await linesOf();
  expect(first.map(({ type, id }) => id ?? type)).toEqual(['conversation', 'm0', 'm1', 'm2', 'm3', 'more']);
  const second = await linesOf(first.at(-1)?.after);
  expect(second.map(({ type, id }) => id ?? type)).toEqual(['conversation', 'm4', 'm5']);
});

test('long messages are read about a megabyte at a time', async () => {
  const { scope, append, store, id } = await world();
  for (const message of alternatingMessages(6, () => 'x'.repeat(400_000))) await append(id, [message]);
  const pages = messagePages(scope).walk(await store.find(id), {});
  expect((await Array.fromAsync(pages)).map(({ length }) => length)).toEqual([2, 2, 2]);
});
