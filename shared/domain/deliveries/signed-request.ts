/**
 * Makes one attempt at a delivery: signs the webhook, sends the request or the email, and says how it went.
 * An attempt does not throw for what the receiver or the network does: the result has the status or the error, the
 * duration, and whether further attempts are pointless (410, a refused URL). Nothing is stored here.
 * Receivers that did not answer in time get less of it for ten minutes, as far as this process knows, so that one
 * silent server does not hold up the queue.
 * `tenant-deliveries.ts` retries; budget alerts and approvals of runs make attempts with it too, and the export of
 * spans shares the memory of slow receivers (`slow-origins.ts`).
 */
import { Webhook } from 'standardwebhooks';
import { sendEmailBySes } from '../../adapters/messages/email.ts';
import { UrlRefused } from '../../adapters/net/addresses.ts';
import { SlowServer } from '../../adapters/net/fetch-failure.ts';
import { postOnly } from '../../adapters/net/post-only.ts';
import { StepError } from '../../core/errors/step-error.ts';
import { truncate } from '../../core/text.ts';
import type { Delivery, DeliveryAttempt } from './delivery.ts';
import { getTimeoutMs, recordAnswer, recordTimeout } from './slow-origins.ts';

export interface Receiver {
  url: string;
  /** Undefined if it has no value. */
  secret: string | undefined;
}

const errorLengthMax = 500;

export type DeliveryRequest =
  | { url: string; headers: Record<string, string>; body: string }
  | { error: string; isFinal?: boolean };

/** What the caller of a task is sent. Undefined if there is nothing to tell any more. */
export type LoadTaskRequest = (delivery: Delivery) => Promise<DeliveryRequest | undefined>;

export interface AttemptResult extends DeliveryAttempt {
  /** Whether a further attempt is pointless. */
  isFinal: boolean;
}

type Outcome = Pick<AttemptResult, 'statusCode' | 'error' | 'isFinal'>;

export const attempt = (tenant: string, request: DeliveryRequest, now: Date): Promise<AttemptResult> =>
  measureAttempt(now, async () =>
    'error' in request
      ? toFailure(request.error, request.isFinal ?? false)
      : post(request, { tenant, url: request.url }, now),
  );

/** An email that is handed over to the mail service. */
const attemptEmail = (send: () => Promise<unknown>, now: Date): Promise<AttemptResult> =>
  measureAttempt(now, () =>
    send().then(
      () => ({ statusCode: null, error: null, isFinal: false }),
      (error) => {
        if (error instanceof StepError)
          return toFailure(truncate(error.message, errorLengthMax), !error.retryable);
        throw error;
      },
    ),
  );

async function measureAttempt(now: Date, work: () => Promise<Outcome>): Promise<AttemptResult> {
  const began = performance.now();
  const outcome = await work();
  return { at: now.toISOString(), durationMs: Math.round(performance.now() - began), ...outcome };
}

async function post(
  request: Extract<DeliveryRequest, { body: string }>,
  receiver: { tenant: string; url: string },
  now: Date,
): Promise<Outcome> {
  const timeoutMs = getTimeoutMs(receiver, now);
  try {
    const { status } = await postOnly({ ...request, timeoutMs });
    recordAnswer(receiver);
    return toOutcome(status);
  } catch (error) {
    if (error instanceof SlowServer) recordTimeout(receiver, timeoutMs, now);
    if (!(error instanceof StepError)) throw error;
    return toFailure(truncate(error.message, errorLengthMax), error instanceof UrlRefused);
  }
}

const toFailure = (error: string, isFinal = false): Outcome => ({ statusCode: null, error, isFinal });

/** A receiver says 410 if it wants no more of it (D201). */
function toOutcome(statusCode: number): Outcome {
  const isTaken = statusCode >= 200 && statusCode < 300;
  const error = isTaken ? null : `The receiver answered ${statusCode}`;
  return { statusCode, error, isFinal: statusCode === 410 };
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

/** Sends an email of the service itself. @param before Counts it, unless it is counted already. */
export const attemptServiceEmail = (
  to: string,
  message: { subject: string; text: string },
  now: Date,
  before?: (addresses: string[]) => Promise<void>,
): Promise<AttemptResult> =>
  attemptEmail(async () => {
    const from = readSender();
    await before?.([to]);
    return sendEmailBySes({ from, to: [to], ...message });
  }, now);

/** @throws StepError if the deployment sends no emails. */
function readSender(): string {
  const address = process.env.ALERT_EMAIL_SENDER;
  if (address) return address;
  throw new StepError(
    'The deployment has no address to send emails from; set the context value sesIdentities',
  );
}
