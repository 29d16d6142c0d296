import { fetchAgentCard, NoCard } from '../../adapters/a2a-client/fetch-agent-card.ts';
import { UrlRefused } from '../../adapters/net/addresses.ts';
import { invalidAt, upstreamFailed } from '../../core/errors/errors.ts';
import { StepError } from '../../core/errors/step-error.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { agentStore } from './agent-store.ts';
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
