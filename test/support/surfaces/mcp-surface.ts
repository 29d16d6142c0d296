import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { onTestFinished } from 'vitest';
import { expectStatus, publishedFlow, template } from '../flows/flows.ts';
import { newTenant, stack, type Tenant } from '../stack/stack.ts';
import { addCapability, addItem, createProduct, createSurface } from './products.ts';

export const greeting = template('Hello {{ person }}', 'greeting');

/** An active mcp surface with a tool `greet` that runs a published flow, and a live key of it. */
export async function mcpSurface(steps: object[] = [greeting], more: object = {}) {
  const tenant = await newTenant();
  const flow = await publishedFlow(tenant, steps);
  const { id: productId } = await createProduct(tenant, { name: 'Greeter' });
  const given = { capabilityName: 'Greet', flowId: flow.id };
  const capability = await expectStatus(201, addCapability(tenant, productId, given));
  const surface = await createSurface(tenant, productId, { type: 'mcp', status: 'active', ...more });
  const described = { capabilityId: capability.id, exposedDescription: 'Greets a person' };
  const item = await expectStatus(201, addItem(tenant, surface, described));
  const path = `/v1/products/${productId}/surfaces/${surface.id}`;
  const key = await addSurfaceKey(tenant, path, { environment: 'production' });
  return { tenant, flow, productId, capability, surface, item, path, key };
}

export const addSurfaceKey = async ({ call }: Tenant, path: string, body: object = {}) =>
  (await expectStatus(201, call('POST', `${path}/keys`, { body }))).key as string;

type Mode = NonNullable<ConstructorParameters<typeof Client>[1]>['versionNegotiation'];
export const mcpProtocols: [string, Mode][] = [
  ['2026-07-28', { mode: 'auto' }],
  ['2025-11-25', { mode: 'legacy' }],
];

/** The official client. */
export async function connectMcp(path: string, key: string, versionNegotiation: Mode = { mode: 'auto' }) {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation });
  const requestInit = { headers: { authorization: `Bearer ${key}` } };
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${stack().url}${path}/mcp`), { requestInit }),
  );
  onTestFinished(() => client.close());
  return client;
}

export const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };

/** Sends a message as it is, without the client. */
export async function postMcp(
  key: string,
  path: string,
  message: unknown,
  more: Record<string, string> = {},
) {
  const response = await fetch(`${stack().url}${path}/mcp`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      ...more,
    },
    ...(message !== undefined && { body: typeof message === 'string' ? message : JSON.stringify(message) }),
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

/** Offers the item of a surface as a prompt. */
export const makePrompt = ({ call }: Tenant, path: string, item: { id: string }) =>
  expectStatus(200, call('PUT', `${path}/items/${item.id}`, { body: { config: { offeredAs: 'prompt' } } }));

/** A step whose output is the value of a script. */
export const scriptStep = (script: string) => ({
  ...template('-', 'made'),
  type: 'transform-data',
  config: { script, outputVariable: 'made' },
});
