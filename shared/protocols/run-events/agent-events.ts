/**
 * Maps the log entries of an agent's run to the public events of a stream.
 * Events keep the numbers of the run's log, so that a reader can go on after any of them; a ping after each silence has
 * the number of the event before it. Flows' events are mapped in `flow-events.ts`, the schemas are in `stream-event.ts`.
 */
import { formatCost } from '../../adapters/ports/spending.ts';
import type { AgentRunEvent, NumberedEvent } from '../../execution/agent-runs/run-events.ts';
import { addPings, pingEveryMs } from '../../platform/http/responses/streamed-body.ts';
import { toAwaited } from '../json/read-result.ts';
import { toTokenCounts } from '../json/token-counts.ts';
import type { EventBody, StreamEvent } from './stream-event.ts';

export async function* agentEvents(
  events: AsyncIterable<NumberedEvent>,
  everyMs = pingEveryMs,
): AsyncGenerator<StreamEvent, void> {
  let last = { executionId: '', seq: 0 };
  for await (const event of addPings(events, everyMs)) {
    if (event === 'ping') {
      yield { type: 'ping', timestamp: new Date().toISOString(), ...last };
      continue;
    }
    const { executionId, seq } = event;
    last = { executionId, seq };
    yield { ...toAgentBody(event), ...last } as StreamEvent;
  }
}

function toAgentBody({ event, turnId }: NumberedEvent): EventBody {
  const part = turnId ? { turnId } : {};
  switch (event.type) {
    case 'started': {
      const { agentId, agentName, turnsMax: maxTurns, startedAt } = event.execution;
      return { type: 'execution_start', kind: 'agent', startedAt, agentId, agentName, maxTurns };
    }
    case 'text_start':
      return { ...event, id: `text_${turnId}`, ...part, role: 'assistant' };
    case 'text_delta':
    case 'text_complete':
      return { ...event, id: `text_${turnId}`, ...part };
    case 'reasoning_start':
    case 'reasoning_delta':
    case 'reasoning_complete':
      return { ...event, id: `reasoning_${turnId}`, ...part };
    case 'approval_start':
    case 'turn_start':
    case 'approval_complete':
      return event;
    case 'turn_complete': {
      const { type, id, role, iteration, content, spending, ...end } = event;
      const took = { tokens: toTokenCounts(spending), cost: formatCost(spending) };
      return { type, id, role, iteration, content, ...took, ...end };
    }
    case 'awaiting':
      return toAwait(event);
    case 'ended':
      return toComplete(event);
    default:
      return { ...event, ...part };
  }
}

type EventOf<Type extends AgentRunEvent['type']> = Extract<AgentRunEvent, { type: Type }>;

const toAwait = ({ wait, at: awaitedAt }: EventOf<'awaiting'>): EventBody => ({
  type: 'await',
  awaitedAt,
  ...toAwaited(wait),
});

function toComplete({ end, summary }: EventOf<'ended'>): EventBody {
  const { iterations, durationMs } = summary;
  return {
    type: 'execution_complete',
    kind: 'agent',
    success: end.error === null,
    finalOutput: end.output,
    ...(end.error !== null && { error: end.error }),
    ...(end.errorCode && { code: end.errorCode }),
    iterations,
    stopReason: end.stopReason,
    totalCost: formatCost(summary),
    totalTokens: toTokenCounts(summary),
    durationMs,
    ...(end.attempts && { attempts: end.attempts }),
    ...(summary.warnings.length > 0 && { warnings: [...summary.warnings] }),
    completedAt: end.at,
  };
}
