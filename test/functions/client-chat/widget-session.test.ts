import { type AgentWidgetConfig, type AgentWidgetMessage, AgentWidgetSession } from '@runtypelabs/persona';
import { afterEach, expect, test, vi } from 'vitest';
import { calls, scripted } from '../../support/agents/agent-runs.ts';
import { stack } from '../../support/stack/stack.ts';
import { agentChat, onlyConversation } from '../../support/surfaces/chat.ts';

afterEach(() => void vi.unstubAllGlobals());

/** A session of the widget, configured as docs/chat-widget.md says. */
function widget(clientToken: string) {
  const apiUrl = stack().url;
  let sessionId: string | null = null;
  let messages: AgentWidgetMessage[] = [];
  let isStreaming = false;
  const config: AgentWidgetConfig = {
    apiUrl,
    clientToken,
    reconnect: { backoffMs: [50, 100, 200, 400, 800] },
    getStoredSessionId: () => sessionId,
    setStoredSessionId: (id) => {
      sessionId = id;
    },
    reconnectStream: ({ executionId, after, signal }) =>
      fetch(`${apiUrl}/v1/client/executions/${executionId}/events?after=${encodeURIComponent(after)}`, {
        headers: { authorization: `Bearer ${sessionId}` },
        signal,
      }),
    approval: {
      onDecision: ({ executionId, approvalId }, decision) =>
        fetch(`${apiUrl}/v1/client/approve`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ sessionId, executionId, approvalId, decision }),
        }),
    },
  };
  const session = new AgentWidgetSession(config, {
    onMessagesChanged: (all) => {
      messages = all;
    },
    onStatusChanged: () => {},
    onStreamingChanged: (now) => {
      isStreaming = now;
    },
    onError: (error) => {
      throw error;
    },
  });
  const texts = () =>
    messages.filter(({ role, variant }) => role === 'assistant' && !variant).map(({ content }) => content);
  return { session, texts, messages: () => messages, isStreaming: () => isStreaming };
}

test('the widget shows a call that needs an approval, and the answer after the decision', async () => {
  const order = {
    name: 'place_order',
    description: 'Orders',
    toolType: 'custom',
    config: { code: 'return 1' },
    parametersSchema: { type: 'object' },
  };
  const tools = { runtimeTools: [order], approval: { require: ['place_order'] } };
  const { token } = await agentChat({ allowedOrigins: ['*'], config: { approvals: true } }, { tools });
  const { session, texts, messages } = widget(token);
  await session.sendMessage(scripted(calls(['place_order', { item: 'tea' }]), { text: 'Ordered' }));
  const [waiting] = messages().flatMap(({ approval }) => approval ?? []);
  expect(waiting).toMatchObject({ status: 'pending', toolName: 'place_order', parameters: { item: 'tea' } });
  if (!waiting) return;
  await session.resolveApproval(waiting, 'approved');
  expect(texts()).toEqual(['Ordered']);
  const shown = messages().flatMap(({ toolCall }) => toolCall ?? []);
  expect(shown).toMatchObject([{ name: 'place_order', status: 'complete' }]);
});

test('the widget continues an answer whose connection broke, without a gap or a repetition', async () => {
  const slow = { model: 'generic-openai/trickling' };
  const { tenant, token } = await agentChat({ allowedOrigins: ['*'] }, slow);
  const { session, texts, isStreaming } = widget(token);
  const real = globalThis.fetch;
  let broken = 0;
  vi.stubGlobal('fetch', async (...given: Parameters<typeof fetch>) => {
    const response = await real(...given);
    if (!String(given[0]).endsWith('/v1/client/chat') || !response.body) return response;
    let chunks = 0;
    const breaking = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        if (chunks++ < 6) return controller.enqueue(chunk);
        broken++;
        controller.terminate();
      },
    });
    return new Response(response.body.pipeThrough(breaking), response);
  });
  await session.sendMessage('word '.repeat(60));
  await expect.poll(isStreaming, { timeout: 60_000, interval: 100 }).toBe(false);
  expect(broken).toBeGreaterThan(0);
  const { messages } = await onlyConversation(tenant);
  expect(texts()).toEqual([messages[1].content]);
});
