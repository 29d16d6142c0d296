/**
 * Tells the receivers of a budget which of its thresholds the spending has reached, each once in a period.
 *
 * The transaction that notes a threshold also writes the deliveries, so of several processes one tells, and a crash after it
 * loses nothing: the sweep of deliveries sends them. The attempts themselves are made by the worker of deliveries, which signs
 * with the key of the budget.
 */

import { randomBytes } from 'node:crypto';
import Big from 'big.js';
import * as z from 'zod';
import { toWebhookBody } from '../../adapters/messages/webhook-formats.ts';
import { log } from '../../core/log.ts';
import { rememberSecretValue } from '../../core/redaction/known-values.ts';
import { decrypt, encrypt } from '../../platform/aws/kms.ts';
import { using } from '../../platform/aws/uses.ts';
import { ConditionFailed } from '../../platform/data/condition-failed.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { buildConsoleUrl } from '../../platform/http/dashboard-url.ts';
import { messageLimits } from '../conversations/message-limits.ts';
import { type Delivery, deliveryEntity, deliveryQueue } from '../deliveries/delivery.ts';
import { prepareDelivery } from '../deliveries/end-webhook.ts';
import {
  type AttemptResult,
  attempt,
  attemptServiceEmail,
  signWebhookRequest,
} from '../deliveries/signed-request.ts';
import { toDollars } from '../model-usage/cost-units.ts';
import { type Budget, budgetEntity } from './budget/budget.ts';

/** The thresholds that what is spent has reached in the period. */
export const listReachedThresholds = ({ alertAt, limit, spent }: Budget): number[] =>
  alertAt.filter((percent) => toDollars(spent).times(100).gte(new Big(limit).times(percent)));

/**
 * Tells of the thresholds that were reached since the last time, each by one message to the webhook and one to each email
 * address. Whoever notes a threshold first tells of it.
 */
export async function notifyThresholds(
  scope: Pick<Scope, 'table' | 'now' | 'newId'>,
  budget: Budget,
): Promise<void> {
  const fresh = listReachedThresholds(budget).filter((percent) => !budget.alerted.includes(percent));
  if (fresh.length === 0) return;
  const { table } = scope;
  const messages = fresh.flatMap((percent) => createMessages(scope, budget, percent));
  const unchanged = {
    expression: '#periodStart = :period AND #alerted = :before',
    values: { period: budget.periodStart, before: budget.alerted },
  };
  const alerted = [...budget.alerted, ...fresh];
  try {
    await table.commit([
      table.writes.update(budgetEntity, budget, { set: { alerted } }, unchanged),
      ...messages.map((message) => table.writes.insert(deliveryEntity, message)),
    ]);
  } catch (error) {
    // Another process tells of them, or a new period has begun.
    if (error instanceof ConditionFailed) return;
    throw error;
  }
  log.info('A budget reached a threshold', { budgetId: budget.id, thresholds: fresh });
  await Promise.all(messages.map((message) => deliveryQueue({ table }).sendOrLeave(message)));
}

function createMessages(
  { now, newId }: Pick<Scope, 'now' | 'newId'>,
  { id: budgetId, name, limit, spent, periodStart, webhookUrl, emails }: Budget,
  threshold: number,
) {
  const at = now();
  const data = { budgetId, name, threshold, spent: toDollars(spent).toFixed(), limit, periodStart };
  const message = {
    productId: '',
    surfaceId: budgetId,
    executionId: '',
    type: 'budget.threshold' as const,
    body: JSON.stringify({ type: 'budget.threshold', timestamp: at.toISOString(), data }),
  };
  const receivers = [...(webhookUrl === undefined ? [] : [{}]), ...emails.map((email) => ({ email }))];
  return receivers.map((receiver) => prepareDelivery({ newId }, at, { ...message, budget: receiver }));
}

const keyEnv = 'TEST_KEYS_KMS_KEY';

type Tenant = Pick<Scope, 'table'>;

const toContext = ({ table: { tenant } }: Tenant) => ({ tenant, purpose: 'budget' });

/** Makes the key that signs what the webhook of a budget gets. `value` is shown once, `sealed` is stored. */
export const notifySecretMaker = /* @__PURE__ */ using(
  ['budget-secrets:write'],
  (scope: Tenant) => async (): Promise<{ value: string; sealed: string }> => {
    const value = `whsec_${randomBytes(32).toString('base64')}`;
    rememberSecretValue(value);
    return { value, sealed: await encrypt(keyEnv, value, toContext(scope)) };
  },
);

/** Decrypts it. Never store or return it. */
export const notifySecretOpener = /* @__PURE__ */ using(
  ['budget-secrets:read'],
  (scope: Tenant) =>
    async (sealed: string): Promise<string | undefined> => {
      const value = await decrypt(keyEnv, sealed, toContext(scope));
      if (value !== undefined) rememberSecretValue(value);
      return value;
    },
);

/** Tells of a threshold of a budget. Undefined if the budget is deleted, or has no webhook any more. */
export const thresholdAttempt = /* @__PURE__ */ using(
  ['table:read', 'alert-emails', 'public-url', notifySecretOpener, messageLimits],
  (scope: Scope) =>
    async (delivery: Delivery): Promise<AttemptResult | undefined> => {
      const { table, now } = scope;
      const budget = await table.get(budgetEntity, { id: delivery.surfaceId });
      if (!budget) return undefined;
      const { email } = delivery.budget ?? {};
      if (email !== undefined) {
        return attemptServiceEmail(
          email,
          renderThresholdEmail(delivery.body),
          now(),
          messageLimits(scope).take,
        );
      }
      const { webhookUrl: url, sealedSecret: sealed } = budget;
      if (url === undefined || sealed === undefined) return undefined;
      const body = toWebhookBody(delivery.body, { url }, () => {
        const { subject, text } = renderThresholdEmail(delivery.body);
        const address = buildConsoleUrl('settings/budgets');
        return { title: subject, texts: [text], links: [{ label: 'Open the budgets', url: address }] };
      });
      const receiver = { url, secret: await notifySecretOpener(scope)(sealed) };
      return attempt(table.tenant, signWebhookRequest({ ...delivery, body }, receiver, now()), now());
    },
);

const Body = z.object({
  timestamp: z.string(),
  data: z.object({
    name: z.string(),
    threshold: z.number(),
    spent: z.string(),
    limit: z.string(),
    periodStart: z.string(),
  }),
});

/** The text of an email that tells of a threshold. @param body What the webhook gets. */
function renderThresholdEmail(body: string): { subject: string; text: string } {
  const { data, timestamp } = Body.parse(JSON.parse(body));
  const { name, threshold, spent, limit, periodStart } = data;
  return {
    subject: `The budget ${JSON.stringify(name)} has reached ${threshold} %`,
    text: [
      `$${spent} of $${limit} are spent since ${periodStart}.`,
      `The budget reached ${threshold} % at ${timestamp}.`,
    ].join('\n'),
  };
}
