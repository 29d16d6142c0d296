import type { OperationResponse } from '../../api/api.ts';
import { dollars, durationText } from '../../ui/values/format.ts';

type Turn = OperationResponse<'agent-executions.get'>['iterationDetails'][number];

/** How long each turn of the model took, beside each other. */
export function AgentRunTurns({ turns }: { turns: readonly Turn[] }) {
  const longest = Math.max(1, ...turns.map(({ durationMs }) => durationMs));
  if (turns.length === 0) return null;
  return (
    <ol className="run-bars">
      {turns.map(({ turnId, iteration, durationMs, modelUsed, cost }) => (
        <li key={turnId}>
          <span>
            {iteration}. <bdi>{modelUsed}</bdi>
          </span>
          <span className="run-bar" style={{ width: `${Math.max(1, (durationMs / longest) * 100)}%` }} />
          <span className="help">
            {durationText(durationMs)}
            {cost !== null && `, ${dollars(cost)}`}
          </span>
        </li>
      ))}
    </ol>
  );
}
