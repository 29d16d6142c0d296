import { setTimeout as sleep } from 'node:timers/promises';
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { expect, inject, test } from 'vitest';
import { handler as dispatchHandler } from '../../functions/dispatch/run.ts';
import { endpoints } from '../../functions/index.ts';
import { toChunks } from '../../shared/core/chunks.ts';
import { agentCredentialEntity } from '../../shared/domain/agents/config/agent.ts';
import { tenantLimits } from '../../shared/domain/tenant-limits.ts';
import type { AnyEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import {
  answered,
  approve,
  calls,
  createScriptedAgent,
  resumeAgentRun,
  run,
  scripted,
} from '../support/agents/agent-runs.ts';
import { createAgent, publishAgent } from '../support/agents/agents.ts';
import { brokenTable, cancelled } from '../support/data/broken-table.ts';
import { createSpentBudget } from '../support/flows/budgets.ts';
import { createFlow, expectStatus, template } from '../support/flows/flows.ts';
import { occupy } from '../support/flows/occupied-sandbox.ts';
import { invokeWith } from '../support/stack/invoke.ts';
import { tenantPrincipal } from '../support/stack/principals.ts';
import { countingRuntime, newTenant, type Tenant } from '../support/stack/stack.ts';
import { invokeStreaming, readStreamedAnswer } from '../support/stack/streamed.ts';

const groups = ['agents', 'agent-versions', 'agent-runs', 'agent-executions', 'dispatch'];
const all = (endpoints as readonly AnyEndpoint[]).filter(({ id }) => groups.includes(id.split('.')[0] ?? ''));
const endpointOf = (id: string) => all.find((each) => each.id === id) as AnyEndpoint;

const zeros = '0'.repeat(26);
const kinds: Record<string, string> = {
  id: 'agent',
  agentId: 'agent',
  capabilityId: 'cap',
  executionId: 'exec',
  toolCallId: 'call',
  versionId: 'agentver',
};

/** The path of an operation with ids of its own. */
const pathOf = (endpoint: AnyEndpoint, ids: Record<string, string> = {}) =>
  endpoint.path.replace(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? `${kinds[name]}_${zeros}`);

const message = { role: 'user', content: 'hello' };
const unknownExecution = { executionId: `exec_${zeros}` };
const decision = { approvalId: `appr_${zeros}`, decision: 'approved' };

/** A body that each operation takes. */
const bodies: Record<string, object> = {
  'agents.create': { name: 'x' },
  'agents.update': { name: 'x' },
  'agents.add-capability': { toolName: 'clock', toolId: 'builtin:date-time' },
  'agents.fetch-agent-card': { url: 'https://agent.example' },
  'agent-versions.publish': { versionId: `agentver_${zeros}` },
  'agent-runs.execute': { messages: [message] },
  'agent-runs.resume': { ...unknownExecution, toolOutputs: { x: 1 } },
  'agent-runs.approve': { ...unknownExecution, ...decision },
  'dispatch.run': { agent: { id: `agent_${zeros}` }, messages: [message] },
  'dispatch.resume': { ...unknownExecution, toolOutputs: { x: 1 } },
  'dispatch.approve': { ...unknownExecution, ...decision },
  'dispatch.continue': { ...unknownExecution, continuation: { decisions: [decision] } },
  'dispatch.retry': { options: { streamResponse: false } },
};

type Status = { status: number };
type Produce = (tenant: Tenant, endpoint: AnyEndpoint) => Promise<Status>;

const send = (
  tenant: Tenant,
  endpoint: AnyEndpoint,
  ids?: Record<string, string>,
  body: unknown = bodies[endpoint.id],
) =>
  tenant.call(endpoint.method, pathOf(endpoint, ids), endpoint.method === 'GET' ? {} : { body: body ?? {} });

/** Nothing but the ids of the path is wrong. */
const unknownIds: Produce = (tenant, endpoint) => send(tenant, endpoint);
const malformedIds: Produce = (tenant, endpoint) =>
  send(tenant, endpoint, Object.fromEntries(Object.keys(kinds).map((name) => [name, 'nonsense'])));
const unknownMember: Produce = (tenant, endpoint) =>
  send(tenant, endpoint, {}, { ...bodies[endpoint.id], surprise: 1 });

/** Somebody else changes the agent again and again at the same time. */
const contended =
  (
    more: (tenant: Tenant, agent: { id: string }) => Promise<Record<string, string>> = async () => ({}),
  ): Produce =>
  async (tenant, endpoint) => {
    const agent = await createAgent(tenant, {
      capabilities: [{ toolName: 'a', toolId: 'builtin:calculator' }],
    });
    const ids = {
      id: agent.id,
      agentId: agent.id,
      capabilityId: agent.capabilities[0].id,
      ...(await more(tenant, agent)),
    };
    const body = { ...bodies[endpoint.id], ...('versionId' in ids && { versionId: ids.versionId }) };
    return inProcess(tenant, endpoint, ids, body, contendedRuntime(tenant, agent.id));
  };

function contendedRuntime({ tenant }: Tenant, agentId: string) {
  const table = brokenTable(tenant, {
    before(command, input) {
      const isRead = /Get|Query/.test(command);
      if (isRead || !JSON.stringify(input).includes(agentId)) return;
      const { TransactItems } = input as { TransactItems?: unknown[] };
      if (TransactItems)
        throw cancelled('ConditionalCheckFailed', ...TransactItems.slice(1).map(() => 'None'));
      throw new ConditionalCheckFailedException({ message: 'The conditional request failed', $metadata: {} });
    },
  });
  return { scopeOf: (of: string) => ({ ...countingRuntime().scopeOf(of), table }) };
}

/** In this process, with the whole request stack. */
async function inProcess(
  tenant: Tenant,
  endpoint: AnyEndpoint,
  pathParameters: Record<string, string>,
  body: object,
  runtime: ReturnType<typeof contendedRuntime> = countingRuntime(),
): Promise<Status> {
  const headers = { 'content-type': 'application/json' };
  const event = { headers, pathParameters, body: JSON.stringify(body) };
  const handler = toLambda(endpoint, () => runtime);
  return { status: (await invokeWith(handler, tenantPrincipal(tenant))(event)).statusCode };
}

/** A run that has ended, with what it waited for. */
async function endedRun(tenant: Tenant) {
  const tools = { toolIds: ['builtin:calculator'], approval: { require: true } };
  const agent = await createScriptedAgent(tenant, { tools });
  const script = scripted(calls(['calculator', { expression: '1' }]), { text: 'done' });
  const { executionId, pausedReason } = await answered(run(tenant, agent.id, script));
  const { approvalId, toolCallId } = pausedReason.awaits[0];
  const approval = { executionId, approvalId, decision: 'approved' as const };
  await answered(approve(tenant, agent.id, approval));
  return { agent, executionId, approval, outputs: { executionId, toolOutputs: { [toolCallId]: 1 } } };
}

const deadServer = async () => {
  const url = `${inject('failingMcpUrl')}/${crypto.randomUUID()}`;
  await fetch(`${url}/die`, { method: 'POST' });
  return `${url}/card.json`;
};

/** What produces each error that an operation declares. */
const cases: Record<string, Record<number, Produce>> = {
  'agents.list': { 400: (tenant) => tenant.call('GET', '/v1/agents?limit=0') },
  'agents.create': {
    400: unknownMember,
    404: (tenant, endpoint) => send(tenant, endpoint, {}, { name: 'x', primaryFlowId: `flow_${zeros}` }),
    409: tooManyCredentials,
  },
  'agents.get': { 400: malformedIds, 404: unknownIds },
  'agents.update': { 400: unknownMember, 404: unknownIds, 409: contended() },
  'agents.delete': { 400: malformedIds, 404: unknownIds, 409: contended() },
  'agents.publish': { 400: malformedIds, 404: unknownIds, 409: contended() },
  'agents.add-capability': {
    400: unknownMember,
    404: unknownIds,
    async 409(tenant, endpoint) {
      const { id } = await createAgent(tenant, { capabilities: [bodies[endpoint.id]] });
      return send(tenant, endpoint, { id });
    },
  },
  'agents.remove-capability': { 400: malformedIds, 404: unknownIds, 409: contended() },
  'agents.fetch-agent-card': {
    400: unknownMember,
    502: async (tenant, endpoint) => send(tenant, endpoint, {}, { url: await deadServer() }),
  },
  'agents.refresh-agent-card': {
    400: malformedIds,
    404: unknownIds,
    async 409(tenant, endpoint) {
      const { id } = await externalAgent(tenant);
      return inProcess(tenant, endpoint, { id }, {}, contendedRuntime(tenant, id));
    },
    502: async (tenant, endpoint) => send(tenant, endpoint, { id: (await externalAgent(tenant)).id }),
  },
  'agents.export-runtime': {
    400: malformedIds,
    404: unknownIds,
    async 413(tenant, endpoint) {
      const flow = await createFlow(tenant, [{ ...template('x'.repeat(90_000)), name: 'long' }]);
      const capabilities = Array.from({ length: 64 }, (_, n) => ({ toolName: `f${n}`, flowId: flow.id }));
      return send(tenant, endpoint, { id: (await createAgent(tenant, { capabilities })).id });
    },
  },
  'agent-executions.list': { 400: malformedIds, 404: unknownIds },
  'agent-executions.get': { 400: malformedIds, 404: unknownIds },
  'agent-executions.list-tool-calls': { 400: malformedIds, 404: unknownIds },
  'agent-executions.get-tool-call': { 400: malformedIds, 404: unknownIds },
  'agent-runs.execute': { 400: unknownMember, 402: spentBudget, 404: unknownIds },
  'agent-runs.resume': {
    400: unknownMember,
    404: unknownIds,
    async 409(tenant) {
      const { agent, outputs } = await endedRun(tenant);
      return resumeAgentRun(tenant, agent.id, outputs);
    },
  },
  'agent-runs.approve': {
    400: unknownMember,
    404: unknownIds,
    async 409(tenant) {
      const { agent, approval } = await endedRun(tenant);
      return approve(tenant, agent.id, approval);
    },
  },
  'agent-runs.cancel': {
    400: malformedIds,
    404: unknownIds,
    async 409(tenant, endpoint) {
      const { agent, executionId } = await endedRun(tenant);
      return send(tenant, endpoint, { id: agent.id, executionId });
    },
  },
  'agent-runs.events': { 400: malformedIds, 404: unknownIds },
  'agent-versions.list': { 400: malformedIds, 404: unknownIds },
  'agent-versions.get-published': { 400: malformedIds, 404: unknownIds },
  'agent-versions.get': { 400: malformedIds, 404: unknownIds },
  'agent-versions.publish': {
    400: unknownMember,
    404: unknownIds,
    409: contended(async (tenant, { id }) => ({ versionId: await publishAgent(tenant, id) })),
  },
  'dispatch.run': {
    400: unknownMember,
    402: spentBudget,
    404: unknownIds,
    async 409(tenant) {
      const record = { type: 'thing', name: 'taken', metadata: {} };
      await expectStatus(201, tenant.call('POST', '/v1/records', { body: record }));
      const body = { flow: { steps: [template('x')] }, record, options: { recordMode: 'create' } };
      return tenant.call('POST', '/v1/dispatch', { body });
    },
    422: (tenant) => tenant.call('POST', '/v1/dispatch', { body: { flow: {} } }),
  },
  'dispatch.resume': {
    400: unknownMember,
    404: unknownIds,
    async 409(tenant, endpoint) {
      return send(tenant, endpoint, {}, (await endedRun(tenant)).outputs);
    },
  },
  'dispatch.approve': {
    400: unknownMember,
    404: unknownIds,
    async 409(tenant, endpoint) {
      return send(tenant, endpoint, {}, (await endedRun(tenant)).approval);
    },
  },
  'dispatch.continue': {
    400: unknownMember,
    404: unknownIds,
    async 409(tenant, endpoint) {
      const { executionId, ...approval } = (await endedRun(tenant)).approval;
      return send(tenant, endpoint, {}, { executionId, continuation: { decisions: [approval] } });
    },
  },
  'dispatch.retry': {
    400: unknownMember,
    async 402(tenant, endpoint) {
      const { executionId } = await endedRun(tenant);
      await createSpentBudget(tenant);
      return send(tenant, endpoint, { id: executionId }, { from: 'start', ...bodies[endpoint.id] });
    },
    404: (tenant, endpoint) => send(tenant, endpoint, { id: `exec_${zeros}` }),
    async 409(tenant, endpoint) {
      return send(tenant, endpoint, { id: (await endedRun(tenant)).executionId });
    },
    async 422(tenant, endpoint) {
      await expectStatus(
        200,
        tenant.call('POST', '/v1/tools/builtin:calculator/execute', {
          body: { parameters: { expression: '1' } },
        }),
      );
      const { data } = await expectStatus(200, tenant.call('GET', '/v1/runs'));
      return send(tenant, endpoint, { id: data[0].id });
    },
  },
};
const externalAgent = async (tenant: Tenant) =>
  createAgent(tenant, { agentType: 'external', externalConfig: { agentCardUrl: await deadServer() } });

/** A tenant that has spent what its models may cost. */
async function spentBudget(tenant: Tenant, endpoint: AnyEndpoint): Promise<Status> {
  await createSpentBudget(tenant);
  const agent = await createAgent(tenant);
  await publishAgent(tenant, agent.id);
  const ofDispatch = endpoint.id === 'dispatch.run' && { agent: { id: agent.id } };
  return send(tenant, endpoint, { id: agent.id }, { ...ofDispatch, messages: [message] });
}

/** A tenant with all the credentials that its agents can have. */
async function tooManyCredentials(tenant: Tenant, endpoint: AnyEndpoint): Promise<Status> {
  const { table, newId } = countingRuntime().scopeOf(tenant.tenant);
  const ids = Array.from({ length: tenantLimits['credentials of agents'] }, () => newId('cred'));
  for (const chunk of toChunks(ids, 90)) {
    await table.commit(
      chunk.map((id) => table.writes.insert(agentCredentialEntity, { id, agentId: newId('agent') })),
    );
  }
  const auth = { type: 'bearer', token: 'a long credential' };
  const mcpServers = [{ id: 'm', url: 'https://mcp.example', auth }];
  return send(tenant, endpoint, {}, { name: 'x', config: { tools: { mcpServers } } });
}

/** Operations that check texts of tenants in the sandbox, with a body for which they need it. */
const busy: Record<string, object> = {
  'agents.create': { name: 'x', config: { systemPrompt: '{{ a | upcase }}' } },
  'agents.update': { config: { systemPrompt: '{{ a | upcase }}' } },
  'agents.add-capability': { ...bodies['agents.add-capability'], parametersSchema: { properties: {} } },
  'dispatch.run': { agent: { config: { systemPrompt: '{{ a | upcase }}' } }, messages: [message] },
};

test('each error that an operation of agents declares has a case', () => {
  const declared = all.map(({ id, errors = [] }) => [id, errors.toSorted()]);
  const tested = all.map(({ id }) => [
    id,
    [...Object.keys(cases[id] ?? {}).map(Number), ...(id in busy ? [503] : [])].toSorted(),
  ]);
  expect(tested).toEqual(declared);
});

// Contended writes are tried again for half a minute.
test.concurrent.each(
  Object.entries(cases).flatMap(([id, of]) =>
    Object.entries(of).map(([status, produce]) => [id, Number(status), produce] as const),
  ),
)('%s: %i', async (id, status, produce) => {
  expect(await produce(await newTenant(), endpointOf(id))).toMatchObject({ status });
});

test('503 while the sandbox is busy with other work of the tenant', async () => {
  const tenant = await newTenant();
  const { id } = await createAgent(tenant);
  occupy(tenant.tenant);
  await sleep(1_000);
  const statuses = Object.entries(busy).map(async ([operation, body]) => {
    if (operation !== 'dispatch.run')
      return (await inProcess(tenant, endpointOf(operation), { id }, body)).status;
    const { stream, done } = invokeStreaming(dispatchHandler, tenant, body);
    const [{ head }] = await Promise.all([readStreamedAnswer(stream), done]);
    return head.statusCode;
  });
  expect(await Promise.all(statuses)).toEqual(Object.keys(busy).map(() => 503));
});
