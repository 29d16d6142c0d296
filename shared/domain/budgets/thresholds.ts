import Big from 'big.js';
import { log } from '../../core/log.ts';
import { ConditionFailed } from '../../platform/data/condition-failed.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { deliveryEntity } from '../deliveries/delivery.ts';
import { deliveryQueue } from '../deliveries/delivery-queue.ts';
import { newDelivery } from '../deliveries/new-delivery.ts';
import { toDollars } from '../model-usage/cost-units.ts';
import { type Budget, budgetEntity } from './budget/budget.ts';

/** The thresholds that what is spent has reached in the period. */
export const reachedThresholds = ({ alertAt, limit, spent }: Budget): number[] =>
  alertAt.filter((percent) => toDollars(spent).times(100).gte(new Big(limit).times(percent)));

/**
 * Tells of the thresholds that were reached since the last time, each by one message to the webhook and one to each email
 * address. Whoever notes a threshold first tells of it.
 */
export async function notifyThresholds(
  scope: Pick<Scope, 'table' | 'now' | 'newId'>,
  budget: Budget,
): Promise<void> {
  const fresh = reachedThresholds(budget).filter((percent) => !budget.alerted.includes(percent));
  if (fresh.length === 0) return;
  const { table } = scope;
  const messages = fresh.flatMap((percent) => messagesOf(scope, budget, percent));
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

function messagesOf(
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
  return receivers.map((receiver) => newDelivery({ newId }, at, { ...message, budget: receiver }));
}
