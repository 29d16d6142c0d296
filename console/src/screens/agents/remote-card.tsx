import { useEffect } from 'react';
import type { OperationResponse } from '../../api/api.ts';
import { useAction } from '../../api/queries.ts';
import { agentTexts } from '../../texts/agents.ts';
import { Button } from '../../ui/forms/button.tsx';
import { FailureNotice } from '../../ui/loading/failure.tsx';
import { isObject } from '../../ui/values/schema.ts';

/** What an agent on another server says of itself: its card, fetched from the saved address. */
export function RemoteCard({ agent }: { agent: OperationResponse<'agents.get'> }) {
  const fetchCard = useAction('agents.fetch-agent-card', { changes: [] });
  const { externalConfig } = agent;
  const url = [externalConfig?.agentCardUrl, externalConfig?.endpoint].find(
    (each) => typeof each === 'string',
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: another address has another card
  useEffect(() => fetchCard.reset(), [url]);
  if (typeof url !== 'string') return null;
  const card = fetchCard.data;
  return (
    <section className="agents-card" aria-label={agentTexts.card}>
      <Button onPress={() => fetchCard.mutate({ body: { url } })} isPending={fetchCard.isPending}>
        {agentTexts.fetchCard}
      </Button>
      {fetchCard.error && <FailureNotice error={fetchCard.error} />}
      {card && (
        <div role="status">
          <p>
            <bdi>{card.name}</bdi> {card.version && <span className="help">{card.version}</span>}
          </p>
          <p>
            <bdi>{card.description}</bdi>
          </p>
          <ul>
            {(card.skills ?? []).filter(isObject).map(({ id, name, description }, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: ids of another server may repeat
              <li key={index}>
                <bdi>{String(name ?? id ?? '')}</bdi>: <bdi>{String(description ?? '')}</bdi>
              </li>
            ))}
          </ul>
        </div>
      )}
    </section>
  );
}
