import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { type AttemptResult, attempt } from '../deliveries/attempt.ts';
import type { Delivery } from '../deliveries/delivery.ts';
import { attemptServiceEmail } from '../deliveries/service-email.ts';
import { webhookRequest } from '../deliveries/signed-request.ts';
import { messageLimits } from '../messages/message-limits.ts';
import { budgetEntity } from './budget/budget.ts';
import { notifySecretOpener } from './notify-secret.ts';
import { thresholdEmail } from './threshold-email.ts';

/** Tells of a threshold of a budget. Undefined if the budget is deleted, or has no webhook any more. */
export const thresholdAttempt = /* @__PURE__ */ using(
  ['table:read', 'alert-emails', notifySecretOpener, messageLimits],
  (scope: Scope) =>
    async (delivery: Delivery): Promise<AttemptResult | undefined> => {
      const { table, now } = scope;
      const budget = await table.get(budgetEntity, { id: delivery.surfaceId });
      if (!budget) return undefined;
      const { email } = delivery.budget ?? {};
      if (email !== undefined) {
        return attemptServiceEmail(email, thresholdEmail(delivery.body), now(), messageLimits(scope).take);
      }
      const { webhookUrl: url, sealedSecret: sealed } = budget;
      if (url === undefined || sealed === undefined) return undefined;
      const receiver = { url, secret: await notifySecretOpener(scope)(sealed) };
      return attempt(table.tenant, webhookRequest(delivery, receiver, now()), now());
    },
);
