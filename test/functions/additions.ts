import { expect } from 'vitest';
import { getIdTimeMs } from '../../shared/core/ids.ts';
import { createAgent } from '../support/agents/agents.ts';
import {
  allowedLogin,
  loginBody,
  loginsPath,
  newProof,
  sendRedemption,
} from '../support/command-line/command-line-logins.ts';
import { definition } from '../support/files/tools.ts';
import { createFlow, template } from '../support/flows/flows.ts';
import { scheduleSurface } from '../support/flows/schedules.ts';
import { newRealm } from '../support/servers/oauth.ts';
import { type CallResponse, newTenant, type Tenant } from '../support/stack/stack.ts';
import { tokenBody } from '../support/surfaces/client-tokens.ts';
import { conversationsPath } from '../support/surfaces/conversations.ts';
import {
  addCapability,
  addItem,
  createProduct,
  createSurface,
  greetingProduct,
} from '../support/surfaces/products.ts';

/** Prepares the parents, and returns what sends the n-th addition. */
type Addition = (tenant: Tenant) => Promise<(n: number) => Promise<CallResponse>>;

/** Parents that hold fewer children than the slow test adds. */
export const limits: Record<string, number> = { 'surfaces.create': 40 };

const posting =
  (path: string, bodyOf: (n: number) => object): Addition =>
  async ({ call }) =>
  (n) =>
    call('POST', path, { body: bodyOf(n) });

/** A POST for each operation that adds something. Every child has a name of its own. */
export const additions: Record<string, Addition> = {
  'api-keys.create': posting('/v1/api-keys', (n) => ({ name: `Key ${n}`, permissions: ['FLOWS:READ'] })),
  'api-keys.allow-login': posting(loginsPath, () => loginBody(newProof().challenge)),
  'public.redeem-login': async (tenant) => async () => sendRedemption(await allowedLogin(tenant)),
  'flows.create': posting('/v1/flows', (n) => ({ name: `Flow ${n}`, flowSteps: [template('Hello')] })),
  'agents.create': posting('/v1/agents', (n) => ({ name: `Agent ${n}` })),
  'products.create': posting('/v1/products', (n) => ({ name: `Product ${n}` })),
  'conversations.create': posting(conversationsPath, (n) => ({ title: `Conversation ${n}` })),
  'records.create': posting('/v1/records', (n) => ({ type: 'city', name: `City ${n}` })),
  'secrets.create': posting('/v1/secrets', (n) => ({ key: `KEY_${n}`, value: `value-number-${n}` })),
  'model-configs.create': posting('/v1/model-configs', (n) => ({
    provider: 'openai',
    modelId: 'gpt-5-mini',
    settings: {
      customModel: { displayName: `Config ${n}`, inputCostPer1kTokens: 0.1, outputCostPer1kTokens: 0.3 },
    },
  })),
  'budgets.create': posting('/v1/budgets', (n) => ({
    name: `Budget ${n}`,
    scope: { type: 'tenant' },
    period: 'day',
    limit: '1',
    action: 'alert',
  })),
  'alerts.create': posting('/v1/alerts', (n) => ({
    name: `Alert ${n}`,
    metric: 'failures',
    windowMinutes: 5,
    above: 1,
  })),
  'imports.create': posting('/v1/imports', (n) => ({
    name: `Import ${n}`,
    source: { upload: { fileName: 'rows.csv' } },
    type: 'city',
  })),
  'provider-keys.create': posting('/v1/provider-keys', (n) => ({
    provider: 'openai',
    apiKey: `sk-parallel-${n}`,
    name: `Key ${n}`,
  })),
  'mcp-connections.create': async ({ call }) => {
    const { url } = await newRealm();
    return (n) => call('POST', '/v1/mcp-connections', { body: { url, name: `Connection ${n}` } });
  },
  'tools.create': posting('/v1/tools', (n) => ({ ...definition, name: `Tool ${n}` })),
  'client-tokens.create': async (tenant) => {
    const flow = await createFlow(tenant);
    return (n) =>
      tenant.call('POST', '/v1/client-tokens', {
        body: { ...tokenBody, name: `Token ${n}`, flowIds: [flow.id] },
      });
  },
  'agents.add-capability': async (tenant) => {
    const [agent, flow] = await Promise.all([createAgent(tenant), createFlow(tenant)]);
    return (n) =>
      tenant.call('POST', `/v1/agents/${agent.id}/capabilities`, {
        body: { toolName: `tool_${n}`, toolDescription: 'Runs the flow', flowId: flow.id },
      });
  },
  'products.add-capability': async (tenant) => {
    const [product, flow] = await Promise.all([createProduct(tenant), createFlow(tenant)]);
    return (n) => addCapability(tenant, product.id, { capabilityName: `Capability ${n}`, flowId: flow.id });
  },
  'surfaces.create': async (tenant) => {
    const { id } = await createProduct(tenant);
    return (n) =>
      tenant.call('POST', `/v1/products/${id}/surfaces`, { body: { name: `Surface ${n}`, type: 'api' } });
  },
  'surfaces.add-item': async (tenant) => {
    const { product, capability } = await greetingProduct(tenant);
    const surface = await createSurface(tenant, product.id);
    const place = { productId: product.id, id: surface.id };
    return (n) => addItem(tenant, place, { capabilityId: capability.id, exposedName: `Item ${n}` });
  },
  'surface-keys.create': async (tenant) => {
    const { id: productId } = await createProduct(tenant);
    const { id } = await createSurface(tenant, productId);
    return (n) =>
      tenant.call('POST', `/v1/products/${productId}/surfaces/${id}/keys`, { body: { name: `Key ${n}` } });
  },
  'schedules.create': async (tenant) => {
    const { path, flowId } = await scheduleSurface(tenant);
    return () => tenant.call('POST', path, { body: { flowId, triggerType: 'recurring', cron: '@daily' } });
  },
};

/** Adds distinct children at once, and expects that all succeed. */
export async function addAtOnce(id: string, count: number): Promise<void> {
  const add = await (additions[id] as Addition)(await newTenant());
  const answers = await Promise.all(Array.from({ length: count }, (_, n) => add(n)));
  const refused = answers.filter(({ status }) => status !== 201 && status !== 200);
  expect(new Set(refused.map(({ status, body }) => `${status} ${JSON.stringify(body)}`))).toEqual(new Set());
  for (const { body } of answers) expectTimesOfIds(body);
}

/** Lists are sorted by ids: only then are they sorted by time. */
function expectTimesOfIds(body: unknown): void {
  if (typeof body !== 'object' || body === null) return;
  const { id, createdAt } = body as { id?: string; createdAt?: string };
  if (id && createdAt) expect(Date.parse(createdAt)).toBe(getIdTimeMs(id));
  for (const member of Object.values(body)) expectTimesOfIds(member);
}
