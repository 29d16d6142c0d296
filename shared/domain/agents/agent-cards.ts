import { fetchAgentCard, NoCard } from '../../adapters/a2a-client/fetch-agent-card.ts';
import { UrlRefused } from '../../adapters/net/addresses.ts';
import { mapConcurrently } from '../../core/concurrency/map-concurrently.ts';
import { ifMissing, invalidAt, type ServiceError, upstreamFailed } from '../../core/errors/errors.ts';
import { StepError } from '../../core/errors/step-error.ts';
import { log } from '../../core/log.ts';
import { using } from '../../platform/aws/uses.ts';
import { type DueItem, findFirstDue } from '../../platform/cleanup/sweeps.ts';
import { ConditionFailed } from '../../platform/data/condition-failed.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { Runtime } from '../../platform/runtime.ts';
import { agentStore } from './agent-store.ts';
import { cardScheduleEntity, cardSweep, refreshIntervalMinutes } from './card-schedule.ts';
import type { Agent } from './config/agent.ts';
import { agentCardUrl, applyCard, type CardChanges, toCachedCard } from './external-card.ts';

/** @throws 400 for a URL that is not allowed or an answer that is no JSON object; 502 if the server fails otherwise. */
export const agentCardFetcher = /* @__PURE__ */ using([], () => (url: string, signal: AbortSignal) => {
  return fetchAgentCard(url, signal).catch((error) => {
    throw toShownError(error, 'url');
  });
});

export const agentCards = /* @__PURE__ */ using([agentStore], (scope: Scope) => {
  const agents = agentStore(scope);

  const changeIfExternal = (id: string, change: (before: Agent) => Agent) =>
    agents.change(id, async (before) => ({ after: agentCardUrl(before) ? change(before) : before }));

  return {
    /** Sends no credentials: cards are public. @throws as `agentCardFetcher`, after recording the failure; 400 if not external. */
    async refresh(id: string, signal: AbortSignal): Promise<{ agent: Agent; changeReport: CardChanges }> {
      const url = agentCardUrl(await agents.find(id));
      if (!url) throw createNotExternalError();
      const lastHealthCheckAt = scope.now().toISOString();
      try {
        const card = toCachedCard(await fetchAgentCard(url, signal), lastHealthCheckAt);
        let changeReport: CardChanges | undefined;
        const agent = await changeIfExternal(id, (before) => {
          const changed = applyCard(before.externalConfig ?? {}, card);
          changeReport = changed.changeReport;
          const { config: externalConfig } = changed;
          return {
            ...before,
            externalConfig,
            healthStatus: 'healthy',
            lastHealthCheckAt,
            updatedAt: lastHealthCheckAt,
          };
        });
        if (!changeReport) throw createNotExternalError();
        return { agent, changeReport };
      } catch (error) {
        if (!(error instanceof StepError)) throw error;
        await changeIfExternal(id, (before) => ({
          ...before,
          healthStatus: 'unhealthy',
          lastHealthCheckAt,
        }));
        throw toShownError(error, 'externalConfig.agentCardUrl');
      }
    },
  };
});

const createNotExternalError = () =>
  invalidAt(
    'agentType',
    'INVALID_VALUE',
    'Only an external agent with an endpoint or an agentCardUrl has a card',
  );

function toShownError(error: unknown, path: string): unknown {
  if (error instanceof UrlRefused || error instanceof NoCard) {
    return invalidAt(path, 'INVALID_VALUE', error.message);
  }
  return error instanceof StepError ? upstreamFailed(error.message) : error;
}

/** Per sweep. The next one continues with those that are longest due. */
const refreshesMax = 100;
const atOnce = 10;

/** The longest pause after failures, unless the interval is longer. */
const pauseMinutesMax = 24 * 60;

/** Refreshes the cards of all tenants that are due, within limits. */
export async function refreshDueCards({ scopeOf }: Runtime, now: Date): Promise<void> {
  const due = await findFirstDue(scopeOf('').table, cardSweep, now, refreshesMax);
  const work = async ({ tenant, PK }: DueItem) => {
    const id = PK.split('#').at(-1) ?? '';
    await refreshDue(scopeOf(tenant), id, now).catch((error) => {
      // Another sweep has it.
      if (error instanceof ConditionFailed) return;
      log.error('The card of an agent could not be refreshed', { error, tenant, agentId: id });
    });
  };
  for await (const _done of mapConcurrently(due, atOnce, work));
}

/** @throws ConditionFailed if another sweep refreshes it too. */
async function refreshDue(scope: Scope, id: string, now: Date): Promise<void> {
  const claim = await acquireRefresh(scope, id, now);
  if (!claim) return;
  try {
    await agentCards(scope).refresh(id, AbortSignal.timeout(30_000));
    await claim.succeeded();
  } catch (error) {
    const { code } = error as ServiceError;
    if (code !== 'UPSTREAM_FAILED' && code !== 'VALIDATION') throw error;
  }
}

/** Plans as after a failure, in case this one ends the process. @returns undefined if not due. @throws ConditionFailed */
export async function acquireRefresh(
  scope: Scope,
  id: string,
  now: Date,
): Promise<{ succeeded: () => Promise<unknown> } | undefined> {
  const { table } = scope;
  const schedule = await table.get(cardScheduleEntity, { id }, { consistent: true });
  const agent = await agentStore(scope).find(id).catch(ifMissing(undefined));
  const interval = agent && refreshIntervalMinutes(agent);
  if (!interval) {
    await table.commit([table.writes.remove(cardScheduleEntity, { id })]);
    return;
  }
  if (!schedule || schedule.dueAt > now.toISOString()) return;
  const failures = schedule.failures + 1;
  const plan = (minutes: number, more: { failures: number }, earlierDueAt: string) => {
    const dueAt = new Date(now.getTime() + minutes * 60_000).toISOString();
    const condition = { expression: '#dueAt = :seen', values: { seen: earlierDueAt } };
    return table
      .commit([table.writes.put(cardScheduleEntity, { id, dueAt, ...more }, condition)])
      .then(() => dueAt);
  };
  const pause = Math.max(interval, Math.min(interval * 2 ** failures, pauseMinutesMax));
  const claimed = await plan(pause, { failures }, schedule.dueAt);
  return { succeeded: () => plan(interval, { failures: 0 }, claimed) };
}
