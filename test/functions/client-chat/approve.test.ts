import { expect, test } from 'vitest';
import { approve, calls, followed as eventsOfTenant, scripted } from '../../support/agents/agent-runs.ts';
import { expectStatus } from '../../support/flows/flows.ts';
import { eventually } from '../../support/stack/eventually.ts';
import {
  agentChat,
  answerTo,
  continued,
  eventsOfPage,
  lastEvent,
  onlyConversation,
  openSession,
  streamedText,
} from '../../support/surfaces/chat.ts';

const order = {
  name: 'place_order',
  description: 'Orders',
  toolType: 'custom',
  config: { code: 'return "ordered"' },
  parametersSchema: { type: 'object' },
};
const guarded = { tools: { runtimeTools: [order], approval: { require: ['place_order'] } } };
const given = { item: 'tea', apiKey: 'hunter2', note: 'with Bearer abcdefgh12345678' };
const script = scripted(calls(['place_order', given]), { text: 'Done' });

async function waiting(changes: object = {}) {
  const given = { rateLimitPerMinute: 100, config: { approvals: true }, ...changes };
  const world = await agentChat(given, guarded);
  const events = await answerTo(world.sessionId, script, { assistantMessageId: 'a1' });
  const { executionId, seq } = lastEvent(events);
  const start = events.find(({ type }) => type === 'approval_start');
  return { ...world, events, executionId, seq, start, approvalId: start?.approvalId as string };
}

test('the visitor sees the call without credentials, allows it, and gets the answer', async () => {
  const { tenant, sessionId, events, start, executionId, approvalId, seq } = await waiting();
  expect(start).toMatchObject({
    toolName: 'place_order',
    parameters: { item: 'tea', apiKey: '[redacted]', note: 'with Bearer [redacted]' },
  });
  expect(JSON.stringify(events)).not.toMatch(/hunter2|abcdefgh12345678/);
  // The widget would execute the tool of an await with a name.
  expect(lastEvent(events)).toEqual({
    type: 'await',
    awaitReason: 'approval',
    awaitedAt: expect.any(String),
    executionId,
    seq,
  });
  const decision = { sessionId, executionId, approvalId, decision: 'approved' };
  const { status, events: rest } = await continued('approve', decision);
  expect([status, streamedText(rest)]).toEqual([200, 'Done']);
  expect(rest).toContainEqual(
    expect.objectContaining({ type: 'approval_complete', approvalId, decision: 'approved' }),
  );
  expect(rest).toContainEqual(expect.objectContaining({ type: 'tool_complete', success: true }));
  expect(JSON.stringify(rest)).not.toContain('ordered');
  expect((await onlyConversation(tenant)).messages[1]).toMatchObject({ id: 'a1', content: 'Done' });
  expect((await continued('approve', decision)).status).toBe(409);
});

test('a denied call does not run; the agent learns the reason, the visitor gets the answer', async () => {
  const { sessionId, executionId, approvalId } = await waiting();
  const denied = { sessionId, executionId, approvalId, decision: 'denied', reason: 'Too dear' };
  const { events } = await continued('approve', denied);
  expect(events).toContainEqual(expect.objectContaining({ type: 'approval_complete', decision: 'denied' }));
  expect(events).not.toContainEqual(expect.objectContaining({ type: 'tool_complete', success: true }));
  expect(streamedText(events)).toBe('Done');
});

test('only the session whose run it is decides: 404 for other sessions and runs, 401 and 403 as for messages', async () => {
  const { sessionId, token, executionId, approvalId } = await waiting();
  const { sessionId: other } = await expectStatus(200, openSession(token));
  const decision = { sessionId, executionId, approvalId, decision: 'approved' };
  const second = await waiting();
  const missing = 'exec_01k9m4v7d3x8qz5w2r6t0y1hbn';
  for (const [changes, what] of [
    [{ sessionId: other }, 'Execution not found'],
    [{ executionId: second.executionId }, 'Execution not found'],
    [{ executionId: missing }, 'Execution not found'],
    [{ approvalId: second.approvalId }, 'Approval not found'],
  ] as const) {
    const { status, body } = await continued('approve', { ...decision, ...changes });
    expect([status, body.error]).toEqual([404, what]);
  }
  expect((await continued('approve', { ...decision, sessionId: 'invented' })).status).toBe(401);
  expect((await continued('approve', decision, 'https://evil.example')).status).toBe(403);
  for (const [changes, path] of [
    [{ decision: 'maybe' }, 'decision'],
    [{ approvalId: 'x' }, 'approvalId'],
    [{ reason: 'x'.repeat(2_001) }, 'reason'],
  ] as const) {
    const { status, body } = await continued('approve', { ...decision, ...changes });
    expect([status, body.details[0].path]).toEqual([400, path]);
  }
  expect((await continued('approve', { ...decision, streamResponse: false })).body).toMatchObject({
    success: true,
    result: 'Done',
  });
});

test('unless the token says so, the tenant decides: visitors get no approval and cannot decide', async () => {
  for (const config of [{}, { approvals: false }, { clientTools: true }]) {
    const { tenant, agent, sessionId, token, events, executionId } = await waiting({ config });
    expect(events.map(({ type }) => type)).toEqual(['execution_start', 'tool_start', 'await']);
    expect(JSON.stringify(events)).not.toContain('tea');
    const followed = await eventsOfPage(sessionId, executionId);
    const { approvalId } = (await eventsOfTenant(tenant, agent.id, executionId)).find(
      ({ type }) => type === 'approval_start',
    ) as { approvalId: string };
    expect(JSON.stringify(followed)).not.toContain(approvalId);
    const { status, body } = await continued('approve', {
      sessionId,
      executionId,
      approvalId,
      decision: 'approved',
    });
    expect([status, body.details]).toEqual([403, 'Visitors do not decide the calls of this chat']);
    await expectStatus(200, approve(tenant, agent.id, { executionId, approvalId, decision: 'approved' }));
    // The visitor finds the answer of the run that the tenant continued.
    const rest = await eventsOfPage(sessionId, executionId, String(lastEvent(events).seq));
    expect(streamedText(rest)).toBe('Done');
    const { conversation } = await expectStatus(200, openSession(token, { sessionId }));
    expect(conversation.messages).toMatchObject([{ role: 'user' }, { id: 'a1', content: 'Done' }]);
  }
});

test('an answer that went on without its page comes before the next message of the visitor', async () => {
  const { tenant, agent, sessionId, executionId, approvalId } = await waiting();
  await expectStatus(200, approve(tenant, agent.id, { executionId, approvalId, decision: 'approved' }));
  await eventually(async () =>
    expect(await expectStatus(200, tenant.call('GET', `/v1/runs/${executionId}`))).toMatchObject({
      status: 'completed',
    }),
  );
  await answerTo(sessionId, 'And now?');
  const { messages } = await onlyConversation(tenant);
  expect(messages.map(({ role }: { role: string }) => role)).toEqual([
    'user',
    'assistant',
    'user',
    'assistant',
  ]);
  expect(messages[1]).toMatchObject({ id: 'a1', content: 'Done' });
});
