import { afterAll, beforeEach, expect, test, vi } from 'vitest';
import { startModelStandIn, type ToolCallAnswer } from '../../../examples/model-stand-in.ts';
import { handler } from '../../../functions/dispatch/run.ts';
import type { Span } from '../../../shared/domain/runs/trace.ts';
import { createAgent } from '../../support/agents/agents.ts';
import { createTool } from '../../support/files/tools.ts';
import { publishedFlow } from '../../support/flows/flows.ts';
import { getTrace } from '../../support/flows/run-traces.ts';
import { a2aServer } from '../../support/servers/a2a-server.ts';
import { hostileServer, result, toolText } from '../../support/servers/hostile-mcp-server.ts';
import { jsonWebAnswer, web } from '../../support/servers/web.ts';
import { newTenant } from '../../support/stack/stack.ts';
import { invokeStreaming, readStreamedAnswer } from '../../support/stack/streamed.ts';

// Lambdas of this process ask a model of this process: it calls the tool `m__work` once.
const models = await startModelStandIn({
  answer: ({ messages, tools }): string | ToolCallAnswer =>
    messages.some(({ role }) => role === 'tool') || !tools
      ? 'done'
      : { toolCalls: [{ name: 'm__work', arguments: {} }] },
});
beforeEach(() => {
  vi.stubEnv('GENERIC_OPENAI_BASE_URL', models.url);
});
afterAll(() => models.close());

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';

test('servers learn in which span they are asked: of a step, an external tool, MCP and A2A', async () => {
  const tenant = await newTenant();
  const api = await web(() => jsonWebAnswer({ ok: true }));
  const calls: unknown[] = [];
  const mcp = await hostileServer(({ message: { id, method }, request, response }) => {
    if (method === 'tools/call') calls.push(request.headers.traceparent);
    if (method === 'tools/list')
      return result(response, id, { tools: [{ name: 'work', inputSchema: { type: 'object' } }] });
    return method === 'tools/call' ? result(response, id, toolText('x')) : undefined;
  });
  const a2a = await a2aServer((work) => work.answer('Hi'));
  const tool = await createTool(tenant, {
    name: 'remote',
    toolType: 'external',
    config: { url: `${api.url}/tool` },
    parametersSchema: { type: 'object' },
  });
  const externalConfig = { endpoint: a2a.url };
  const agent = await createAgent(tenant, { agentType: 'external', externalConfig });
  const http = (path: string, headers = {}) => ({ url: `${api.url}/${path}`, method: 'GET', headers });
  const own = `00-${traceId}-00f067aa0ba902b7-00`;
  const mcpServers = [{ id: 'm', url: mcp.url }];
  const steps = [
    { type: 'api-call', name: 'call', config: { http: http('step') } },
    { type: 'api-call', name: 'own', config: { http: http('own', { Traceparent: own }) } },
    { type: 'fetch-url', name: 'page', config: { http: http('page') } },
    { type: 'tool-call', name: 'remote', config: { toolId: tool.id } },
    {
      type: 'prompt',
      name: 'ask',
      config: { model: 'generic-openai/any', text: 'Hi', tools: { mcpServers } },
    },
    { type: 'execute-agent', name: 'delegate', config: { agentId: agent.id, message: 'Hi' } },
  ];
  const flow = await publishedFlow(tenant, steps);
  const body = { flow: { id: flow.id }, options: { streamResponse: false } };
  const headers = { 'content-type': 'application/json', traceparent: `00-${traceId}-00f067aa0ba902b7-01` };
  const { stream, done } = invokeStreaming(handler, tenant, body, 60_000, { headers });
  const [{ body: text }] = await Promise.all([readStreamedAnswer(stream), done]);
  const { success, executionId, error } = JSON.parse(text);
  expect({ success, error }).toMatchObject({ success: true });

  const { spans, ...trace } = await getTrace(tenant, executionId);
  expect(trace.traceId).toBe(traceId);
  const byId = new Map<string, Span>(spans.map((span) => [span.spanId, span]));
  const spanOf = (header: unknown) => {
    const [version, trace, span = '', flags] = String(header).split('-');
    expect([version, trace, flags]).toEqual(['00', traceId, '01']);
    const { kind, name } = byId.get(span) ?? {};
    return `${kind} ${name}`;
  };
  const received = (path: string) => api.asked.find((asked) => asked.path === path)?.headers.traceparent;
  expect(spanOf(received('/step'))).toBe('step call');
  expect(received('/own')).toBe(own);
  expect(received('/page')).toBeUndefined();
  expect(spanOf(received('/tool'))).toBe('step remote');
  expect(spanOf(calls[0])).toBe('tool execute_tool m__work');
  expect(spanOf(a2a.headers.at(-1)?.traceparent)).toBe('agent invoke_agent An agent');
});

test('the tools of a server are listed once for three runs in traces of their own, by prompts and by agents', async () => {
  const tenant = await newTenant();
  const asked: string[] = [];
  const mcp = await hostileServer(({ message: { id, method }, response }) => {
    asked.push(String(method));
    if (method === 'tools/list')
      return result(response, id, { tools: [{ name: 'work', inputSchema: { type: 'object' } }] });
    return method === 'tools/call' ? result(response, id, toolText('x')) : undefined;
  });
  const tools = { mcpServers: [{ id: 'm', url: mcp.url }] };
  const agent = await createAgent(tenant, {
    agentType: 'native',
    config: { model: 'generic-openai/any', systemPrompt: 'Help', tools },
  });
  const steps = [
    { type: 'prompt', name: 'ask', config: { model: 'generic-openai/any', text: 'Hi', tools } },
    { type: 'execute-agent', name: 'delegate', config: { agentId: agent.id, message: 'Hi' } },
  ];
  const flow = await publishedFlow(tenant, steps);
  for (const run of [1, 2, 3]) {
    const body = { flow: { id: flow.id }, options: { streamResponse: false } };
    const traceparent = `00-${traceId.replace(/^./, String(run))}-00f067aa0ba902b7-01`;
    const headers = { 'content-type': 'application/json', traceparent };
    const { stream, done } = invokeStreaming(handler, tenant, body, 60_000, { headers });
    const [{ body: text }] = await Promise.all([readStreamedAnswer(stream), done]);
    expect(JSON.parse(text)).toMatchObject({ success: true });
  }
  const times = (name: string) => asked.filter((method) => method === name).length;
  expect({ calls: times('tools/call'), lists: times('tools/list') }).toEqual({ calls: 6, lists: 1 });
});

test('servers that a flow asks which is sent with its request learn the span of the run, which its trace shows', async () => {
  const tenant = await newTenant();
  const api = await web(() => jsonWebAnswer({ ok: true }));
  const step = {
    type: 'api-call',
    name: 'call',
    config: { http: { url: `${api.url}/step`, method: 'GET' } },
  };
  const body = { flow: { name: 'Inline', steps: [step] }, options: { streamResponse: false } };
  const headers = { 'content-type': 'application/json' };
  const { stream, done } = invokeStreaming(handler, tenant, body, 60_000, { headers });
  const [{ body: text }] = await Promise.all([readStreamedAnswer(stream), done]);
  const { success, executionId } = JSON.parse(text);
  expect(success).toBe(true);
  const { spans, traceId: own } = await getTrace(tenant, executionId);
  const [, trace, span] = String(api.asked[0]?.headers.traceparent).split('-');
  expect({ trace, spans: spans.map(({ spanId }) => spanId) }).toEqual({
    trace: own,
    spans: expect.arrayContaining([span]),
  });
});
