import { randomUUID } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { expect, inject } from 'vitest';
import { createWebhookNotification } from '../../../shared/domain/deliveries/end-webhook.ts';
import type { Scope } from '../../../shared/platform/data/scope.ts';
import { expectStatus, publishedFlow, template } from '../flows/flows.ts';
import type { ReceivedWebhook } from '../servers/webhook-receiver.ts';
import { eventually } from '../stack/eventually.ts';
import { callerWith, newTenant, type Tenant } from '../stack/stack.ts';
import { addCapability, addItem, createProduct, createSurface } from './products.ts';

export interface WebhookWorldOptions {
  steps?: object[];
  /** Of the capability that the surface exposes, instead of a flow. */
  agent?: (tenant: Tenant) => Promise<{ id: string }>;
  /** How the receiver answers. */
  answers?: string;
  webhook?: object;
  /** Default: api. */
  type?: 'api' | 'webhook';
  tenant?: Tenant;
}

/** An active surface with a webhook and an item `greet`, and a live key of it. */
export async function webhookSurface(options: WebhookWorldOptions = {}) {
  const { steps = [template('Hello {{ person }}', 'greeting')], answers = '204', webhook } = options;
  const { type = 'api' } = options;
  const tenant = options.tenant ?? (await newTenant());
  const receiverUrl = `${inject('webhooksUrl')}/${randomUUID()}`;
  const runs = options.agent
    ? { agentId: (await options.agent(tenant)).id }
    : { flowId: (await publishedFlow(tenant, steps)).id };
  const { id: productId } = await createProduct(tenant);
  const given = { capabilityName: 'Greet', ...runs };
  const capability = await expectStatus(201, addCapability(tenant, productId, given));
  const surface = await createSurface(tenant, productId, {
    type,
    status: 'active',
    outbound: { webhook: { url: `${receiverUrl}?answers=${answers}`, ...webhook } },
  });
  await expectStatus(201, addItem(tenant, surface, { capabilityId: capability.id }));
  const path = `/v1/products/${productId}/surfaces/${surface.id}`;
  const body = { environment: 'production' };
  const { key } = await expectStatus(201, tenant.call('POST', `${path}/keys`, { body }));
  const received = async (): Promise<ReceivedWebhook[]> => (await fetch(receiverUrl)).json();
  return {
    tenant,
    ...runs,
    productId,
    surface,
    path,
    received,
    receiverUrl,
    secret: surface.outbound.webhook.secret as string,
    place: { productId, surfaceId: surface.id as string },
    run: (parameters: object = { person: 'Ada' }) =>
      callerWith(key as string)('POST', `${path}/${type === 'api' ? 'run' : 'webhook'}/greet`, {
        body: parameters,
      }),
    list: (query = '') => expectStatus(200, tenant.call('GET', `${path}/deliveries${query}`)),
    /** What the receiver got, as soon as it got so many. */
    got: (count = 1) =>
      eventually(async () => {
        const all = await received();
        expect(all).toHaveLength(count);
        return all;
      }),
  };
}
export type WebhookSurface = Awaited<ReturnType<typeof webhookSurface>>;

/** A delivery as the end of a run writes it, for a surface that may not exist. Its message is not sent. */
export async function storedDelivery(
  scope: Pick<Scope, 'table' | 'now' | 'newId'>,
  place: { productId: string; surfaceId: string },
) {
  const surface = { type: 'api', ...place, notifies: ['execution.completed' as const] };
  const end = { executionId: 'exec_1', status: 'completed' as const, output: 'x', error: null };
  const notice = createWebhookNotification(scope, surface, end);
  const { SK: id } = (notice.writes[0] as { Put: { Item: { SK: string } } }).Put.Item;
  await scope.table.commit(notice.writes);
  return { key: { surfaceId: place.surfaceId, id }, notice };
}

/** The payload of what was received. @throws if its signature is wrong */
// biome-ignore lint/suspicious/noExplicitAny: tests look into payloads of every shape
export const verified = (secret: string, { body, headers }: ReceivedWebhook): any =>
  new Webhook(secret).verify(body, headers);

/** The deliveries of a surface once none of them is pending. */
export const settled = ({ list }: Pick<WebhookSurface, 'list'>, count = 1) =>
  eventually(async () => {
    const { data } = await list();
    expect(data).toHaveLength(count);
    expect(data.map(({ status }: { status: string }) => status)).not.toContain('pending');
    return data;
  });
