/**
 * What an alert tells, and how: one message to its webhook and one to each address, through the outbox of deliveries.
 *
 * `createAlertMessages` makes the deliveries, for the evaluation (`evaluate-alerts.ts`), which writes them with what it found, and
 * for a test (`alertTester`). `alertAttempt` sends one: it reads the alert again, so that a change of the address holds for what is
 * under way, and makes the message of a chat from the event (`adapters/messages/webhook-formats.ts`).
 */
import * as z from 'zod';
import { toWebhookBody } from '../../adapters/messages/webhook-formats.ts';
import { conflict } from '../../core/errors/errors.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { buildConsoleUrl } from '../../platform/http/dashboard-url.ts';
import { notifySecretOpener } from '../budgets/thresholds.ts';
import { messageLimits } from '../conversations/message-limits.ts';
import { type Delivery, deliveryEntity, deliveryQueue } from '../deliveries/delivery.ts';
import { type NewDelivery, prepareDelivery } from '../deliveries/end-webhook.ts';
import {
  type AttemptResult,
  attempt,
  attemptServiceEmail,
  signWebhookRequest,
} from '../deliveries/signed-request.ts';
import { type Alert, alertEntity } from './alert.ts';
import { alertReader } from './alert-store.ts';

export function createAlertMessages(
  { newId }: Pick<Scope, 'newId'>,
  alert: Alert,
  type: 'firing' | 'resolved' | 'test',
  value: number | null,
  at: Date,
): NewDelivery[] {
  const { id: alertId, name, metric, scope, windowMinutes, above, below, webhookUrl, emails } = alert;
  const data = { alertId, name, metric, scope, windowMinutes, above, below, value };
  const message = {
    productId: '',
    surfaceId: alertId,
    executionId: '',
    type: `alert.${type}` as const,
    body: JSON.stringify({ type: `alert.${type}`, timestamp: at.toISOString(), data }),
  };
  const receivers = [...(webhookUrl === undefined ? [] : [{}]), ...emails.map((email) => ({ email }))];
  return receivers.map((receiver) => prepareDelivery({ newId }, at, { ...message, alert: receiver }));
}

/** Sends a test to whom an alert tells. @returns how many messages. @throws 404, 409 if it tells nobody */
export const alertTester = /* @__PURE__ */ using(
  ['table:write', alertReader, deliveryQueue],
  (scope: Scope) =>
    async (id: string): Promise<number> => {
      const { table, now } = scope;
      const { alert, standing } = await alertReader(scope).find(id);
      const messages = createAlertMessages(scope, alert, 'test', standing.value, now());
      if (messages.length === 0) throw conflict('The alert tells nobody; set notify first');
      await table.commit(messages.map((message) => table.writes.insert(deliveryEntity, message)));
      await Promise.all(messages.map((message) => deliveryQueue(scope).sendOrLeave(message)));
      return messages.length;
    },
);

/** Tells of an alert. Undefined if it is deleted, or has no webhook any more. */
export const alertAttempt = /* @__PURE__ */ using(
  ['table:read', 'alert-emails', 'public-url', notifySecretOpener, messageLimits],
  (scope: Scope) =>
    async (delivery: Delivery): Promise<AttemptResult | undefined> => {
      const { table, now } = scope;
      const alert = await table.get(alertEntity, { id: delivery.surfaceId });
      if (!alert) return undefined;
      const { subject, text } = renderAlert(delivery.body);
      const link = buildConsoleUrl(`alerts?alert=${alert.id}`);
      const { email } = delivery.alert ?? {};
      if (email !== undefined) {
        const message = { subject, text: `${text}\n\n${link}` };
        return attemptServiceEmail(email, message, now(), messageLimits(scope).take);
      }
      const { webhookUrl: url, webhookFormat: format, sealedSecret: sealed } = alert;
      if (url === undefined || sealed === undefined) return undefined;
      const body = toWebhookBody(delivery.body, { url, format }, () => ({
        title: subject,
        texts: [text],
        links: [{ label: 'Open the alert', url: link }],
      }));
      const receiver = { url, secret: await notifySecretOpener(scope)(sealed) };
      return attempt(table.tenant, signWebhookRequest({ ...delivery, body }, receiver, now()), now());
    },
);

const Body = z.object({
  type: z.enum(['alert.firing', 'alert.resolved', 'alert.test']),
  timestamp: z.string(),
  data: z.object({
    name: z.string(),
    metric: z.string(),
    value: z.number().nullable(),
    windowMinutes: z.int(),
    above: z.number().optional(),
    below: z.number().optional(),
  }),
});

const happened = {
  'alert.firing': 'fires',
  'alert.resolved': 'is resolved',
  'alert.test': 'is tested: nothing has happened',
};

function renderAlert(body: string): { subject: string; text: string } {
  const { type, timestamp, data } = Body.parse(JSON.parse(body));
  const { name, metric, value, windowMinutes, above, below } = data;
  const bound = above !== undefined ? `above ${above}` : `below ${below}`;
  const shown =
    value === null
      ? `There are no data. It fires when ${metric} is ${bound}.`
      : `${metric} is ${value} in the last ${windowMinutes} minutes. It fires when it is ${bound}.`;
  return {
    subject: `The alert ${JSON.stringify(name)} ${happened[type]}`,
    text: `${shown}\nAt ${timestamp}.`,
  };
}
