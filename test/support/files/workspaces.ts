import { expect } from 'vitest';
import type { Tenant } from '../stack/stack.ts';

/** Calls that must succeed. @returns the body */
export async function succeeding({ call }: Tenant, method: string, path: string, body?: unknown) {
  const answer = await call(method, path, body === undefined ? {} : { body });
  expect([answer.status, answer.body], `${method} ${path}`).toEqual([
    expect.toSatisfy((status: number) => status < 300),
    expect.anything(),
  ]);
  return answer.body;
}

export const exportWorkspace = (tenant: Tenant) => succeeding(tenant, 'GET', '/v1/workspace');
export const planIn = (tenant: Tenant, body: object) =>
  succeeding(tenant, 'POST', '/v1/workspace/plan', body);
export const applyIn = (tenant: Tenant, body: object) =>
  succeeding(tenant, 'POST', '/v1/workspace/apply', body);

/** `<action> <kind> <name>` of each change that does something. */
export const changeLines = ({ changes }: { changes: { kind: string; name: string; action: string }[] }) =>
  changes.filter(({ action }) => action !== 'none').map((each) => `${each.action} ${each.kind} ${each.name}`);

/** Makes resources of every kind, which refer to each other in every way. */
export async function fillWorkspace(tenant: Tenant) {
  const make = async (path: string, body: object) =>
    (await succeeding(tenant, 'POST', path, body)).id as string;
  const record = await make('/v1/records', { type: 'airport', name: 'TXL/Berlin', metadata: {} });
  const modelConfig = await make('/v1/model-configs', {
    provider: 'openai',
    modelId: 'gpt-5-mini',
    settings: { temperature: 0.2 },
    limits: { requestsPerMinute: 600 },
  });
  const describe = await make('/v1/flows', {
    name: 'Describe',
    description: 'An airport',
    flowSteps: [
      {
        type: 'prompt',
        name: 'Ask',
        when: 'true',
        config: {
          model: modelConfig,
          userPrompt: 'Describe {{ code }}\nin one sentence.',
          tools: { toolIds: ['builtin:date-time'] },
          errorHandling: { onError: 'fallback', fallbacks: [{ type: 'model', model: modelConfig }] },
          outputVariable: 'text',
        },
      },
    ],
  });
  await succeeding(tenant, 'POST', `/v1/flows/${describe}/publish`);
  const agent = await make('/v1/agents', {
    name: 'Guide',
    config: { model: modelConfig, systemPrompt: 'Guide' },
  });
  const helper = await make('/v1/agents', {
    name: 'Helper',
    icon: '🛫',
    config: {
      model: 'default',
      loopConfig: { maxTurns: 3 },
      advisor: { model: modelConfig },
    },
  });
  const tool = await make('/v1/tools', {
    toolType: 'subagent',
    name: 'Ask the guide',
    description: 'Asks',
    parametersSchema: { type: 'object', properties: { message: { type: 'string' } } },
    config: { agentId: agent },
  });
  const outer = await make('/v1/flows', {
    name: 'Outer',
    flowSteps: [
      { type: 'flow', name: 'Inner', config: { flowId: describe } },
      {
        id: 'choose',
        type: 'conditional',
        name: 'Choose',
        enabled: false,
        config: {
          condition: 'text',
          trueSteps: [
            { type: 'execute-agent', name: 'Guide', config: { agentId: agent, message: 'Hello' } },
            { type: 'tool-call', name: 'Call', config: { toolId: tool, parameters: {} } },
          ],
          falseSteps: [],
        },
      },
    ],
  });
  await succeeding(tenant, 'PUT', `/v1/agents/${agent}`, {
    primaryFlowId: describe,
    config: {
      tools: {
        toolIds: [tool, 'builtin:date-time'],
        perToolLimits: { [tool]: { maxCalls: 2 } },
        approval: { require: [tool] },
        runtimeTools: [
          {
            name: 'outer',
            description: 'Runs it',
            toolType: 'flow',
            parametersSchema: { type: 'object' },
            config: { flowId: outer },
          },
        ],
        mcpServers: [
          { id: 'docs', url: 'https://mcp.example.com', auth: { type: 'bearer', token: '{{secret:DOCS}}' } },
        ],
      },
    },
  });
  await succeeding(tenant, 'POST', `/v1/agents/${agent}/capabilities`, {
    toolName: 'help',
    subAgentId: helper,
  });
  await succeeding(tenant, 'POST', `/v1/agents/${agent}/capabilities`, {
    toolName: 'describe',
    flowId: describe,
    enabled: false,
  });
  await succeeding(tenant, 'POST', `/v1/agents/${helper}/capabilities`, { toolName: 'ask', toolId: tool });
  const product = await make('/v1/products', {
    name: 'Desk',
    description: 'Answers',
    spec: { productStage: 'beta' },
    canvas: { capabilityOrder: ['x'] },
  });
  const at = `/v1/products/${product}`;
  const capability = await make(`${at}/capabilities`, { capabilityName: 'describe', flowId: describe });
  const chat = await make(`${at}/capabilities`, {
    capabilityName: 'guide',
    agentId: agent,
    parametersSchema: null,
  });
  const api = await make(`${at}/surfaces`, {
    name: 'Public API',
    type: 'api',
    status: 'active',
    outbound: { webhook: { url: 'https://hooks.example.com/x', secret: '{{secret:HOOK}}' } },
  });
  const item = await make(`${at}/surfaces/${api}/items`, {
    capabilityId: capability,
    endpointSlug: 'describe',
  });
  await succeeding(tenant, 'PUT', `${at}/surfaces/${api}/items/${item}`, { config: { note: 'a' } });
  const mcp = await make(`${at}/surfaces`, {
    name: 'Tools',
    type: 'mcp',
    behavior: { resources: { recordTypes: ['airport'] } },
  });
  await make(`${at}/surfaces/${mcp}/items`, { capabilityId: chat, exposedName: 'ask', isEntryPoint: true });
  const clock = await make(`${at}/surfaces`, { name: 'Clock', type: 'schedule' });
  await make(`${at}/surfaces/${clock}/schedules`, {
    flowId: describe,
    triggerType: 'recurring',
    cron: '30 7 * * MON-FRI',
    timezone: 'Europe/Berlin',
    recordIds: [record],
    executionOptions: { recordConcurrency: 2, modelOverride: modelConfig },
  });
  for (const scope of [
    { type: 'tenant' },
    { type: 'flow', id: describe },
    { type: 'agent', id: agent },
    { type: 'product', id: product },
    { type: 'surface', id: api },
    { type: 'modelConfig', id: modelConfig },
  ]) {
    await make('/v1/budgets', {
      name: `For the ${scope.type}`,
      scope,
      period: 'month',
      limit: '25.00',
      action: 'block',
      notify: { emails: ['ada@example.com'] },
    });
  }
  return { record, modelConfig, describe, agent, helper, tool, outer, product, api, mcp, clock };
}
