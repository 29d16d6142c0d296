import { Webhook } from 'standardwebhooks';
import type { DeliveryRequest } from './attempt.ts';
import type { Delivery } from './delivery.ts';

export interface Receiver {
  url: string;
  /** Undefined if it has no value. */
  secret: string | undefined;
}

/** What the webhook of a surface is sent, signed by Standard Webhooks. */
export function signWebhookRequest(
  { id, body }: Pick<Delivery, 'id' | 'body'>,
  receiver: Receiver | undefined,
  now: Date,
): DeliveryRequest {
  if (!receiver) return { error: 'The surface has no webhook', isFinal: true };
  const { url, secret } = receiver;
  if (secret === undefined) return { error: 'The signing secret has no value' };
  const signature = trySign(secret, (key) => key.sign(id, now, body));
  if (signature === undefined) return { error: 'The signing secret is not `whsec_` and Base64' };
  const headers = {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(now.getTime() / 1_000)),
    'webhook-signature': signature,
  };
  return { url, headers, body };
}

/** Undefined if the secret is no key: a referenced one may have any value. */
function trySign(secret: string, sign: (key: Webhook) => string): string | undefined {
  try {
    return sign(new Webhook(secret));
  } catch {
    return undefined;
  }
}
