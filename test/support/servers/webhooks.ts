import { createHmac, randomUUID } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { expectStatus, publishedFlow, template } from '../flows/flows.ts';
import { call, newTenant } from '../stack/stack.ts';
import { addCapability, addItem, createProduct, createSurface } from '../surfaces/products.ts';

export const hookSecret = `whsec_${Buffer.alloc(32, 3).toString('base64')}`;

/** An active webhook surface with an item `greet` that runs a published flow. */
export async function webhookWorld(inbound: object = signatureSettings('github'), changes: object = {}) {
  const tenant = await newTenant();
  const flow = await publishedFlow(tenant, [template('Hello {{ person }}', 'greeting')]);
  const { id: productId } = await createProduct(tenant);
  const given = { capabilityName: 'Greet', flowId: flow.id };
  const capability = await expectStatus(201, addCapability(tenant, productId, given));
  const surface = await createSurface(tenant, productId, {
    type: 'webhook',
    status: 'active',
    inbound,
    ...changes,
  });
  const item = await expectStatus(201, addItem(tenant, surface, { capabilityId: capability.id }));
  const path = `/v1/products/${productId}/surfaces/${surface.id}`;
  return { tenant, flow, productId, capability, surface, item, path };
}

export type SchemeName = 'standard-webhooks' | 'github' | 'stripe' | 'slack';

export const signatureSettings = (scheme: SchemeName, ...secrets: unknown[]) => ({
  signature: { scheme, secrets: secrets.length > 0 ? secrets : [hookSecret] },
});

interface Sent {
  secret?: string;
  /** The id of the delivery. */
  id?: string;
  /** Unix seconds. */
  at?: number;
  body?: Record<string, unknown>;
}

const hmac = (secret: string, text: string) => createHmac('sha256', secret).update(text).digest('hex');
const nowSeconds = () => Math.floor(Date.now() / 1_000);

/** A delivery as each sender signs it. */
export const deliveries: Record<
  SchemeName,
  (sent: Sent) => { body: string; headers: Record<string, string> }
> = {
  'standard-webhooks': ({ secret = hookSecret, id = `msg_${randomUUID()}`, at = nowSeconds(), body }) => {
    const text = JSON.stringify({ person: 'Ada', ...body });
    const signed = new Webhook(secret).sign(id, new Date(at * 1_000), text);
    const headers = { 'webhook-id': id, 'webhook-timestamp': String(at), 'webhook-signature': signed };
    return { body: text, headers };
  },
  github: ({ secret = hookSecret, id = randomUUID(), body }) => {
    const text = JSON.stringify({ person: 'Ada', ...body });
    const signed = `sha256=${hmac(secret, text)}`;
    const headers = { 'x-hub-signature-256': signed, 'x-github-delivery': id, 'x-github-event': 'push' };
    return { body: text, headers };
  },
  stripe: ({ secret = hookSecret, id = `evt_${randomUUID()}`, at = nowSeconds(), body }) => {
    const text = JSON.stringify({ id, object: 'event', person: 'Ada', ...body });
    const signed = `t=${at},v1=${hmac(secret, `${at}.${text}`)}`;
    return { body: text, headers: { 'stripe-signature': signed } };
  },
  slack: ({ secret = hookSecret, id = `Ev${randomUUID()}`, at = nowSeconds(), body }) => {
    const text = JSON.stringify({ type: 'event_callback', event_id: id, person: 'Ada', ...body });
    const signed = `v0=${hmac(secret, `v0:${at}:${text}`)}`;
    return { body: text, headers: { 'x-slack-request-timestamp': String(at), 'x-slack-signature': signed } };
  },
};

/** Sends to the item `greet` of a surface. */
export const sendWebhook = (
  path: string,
  { body, headers }: { body: string; headers: Record<string, string> },
  slug = 'greet',
) => call('POST', `${path}/webhook/${slug}`, { body, headers });
