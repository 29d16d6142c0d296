import type { RunEvent, RunEventOf } from '../parts/events.ts';
import { addToParts, openParts, type RunPart } from '../parts/parts.ts';
import { type RunEnd, toRunEnd } from '../parts/run-end.ts';

/** What a run waits for: somebody allows a call, or executes it. */
export interface Wait {
  toolCallId: string;
  approvalId?: string;
  toolName: string;
  parameters: unknown;
  until?: string;
}

/** What is known of a run of an agent from its events. */
export interface FollowedAgentRun {
  executionId?: string;
  parts: readonly RunPart[];
  waits: readonly Wait[];
  end?: RunEnd;
}

export const emptyRun: FollowedAgentRun = { parts: [], waits: [] };

/** Adds events in a batch, so that the parts are copied once for many of them. */
export function withAgentEvents(before: FollowedAgentRun, events: readonly RunEvent[]): FollowedAgentRun {
  const draft = openParts(before.parts);
  let run = before;
  for (const event of events) {
    const { executionId } = event;
    addToParts(draft, event);
    switch (event.type) {
      case 'turn_start':
        draft.add({ kind: 'turn', id: event.id, number: event.iteration });
        break;
      case 'turn_complete': {
        const { tokens, cost, stopReason, fallback, attempts } = event;
        draft.change('turn', event.id, () => ({ outcome: { tokens, cost, stopReason, fallback, attempts } }));
        break;
      }
      case 'approval_complete': {
        const { approvalId: id, decision, reason } = event;
        draft.add({ kind: 'decision', id, decision, reason });
        break;
      }
    }
    const end = toRunEnd(event) ?? run.end;
    run = { ...run, executionId, waits: end ? [] : waitsAfter(run.waits, event), ...(end && { end }) };
  }
  return { ...run, parts: draft.parts };
}

function waitsAfter(waits: readonly Wait[], event: RunEvent): readonly Wait[] {
  switch (event.type) {
    case 'await':
      return [...waits.filter(({ toolCallId }) => toolCallId !== event.toolCallId), waitOf(event)];
    case 'tool_complete':
      return waits.filter(({ toolCallId }) => toolCallId !== event.toolCallId);
    case 'approval_complete':
      return waits.filter(({ approvalId }) => approvalId !== event.approvalId);
    default:
      return waits;
  }
}

const waitOf = (event: RunEventOf<'await'>): Wait => {
  const { toolCallId = '', approvalId, toolName = '', parameters, until } = event;
  return { toolCallId, toolName, parameters, ...(approvalId && { approvalId }), ...(until && { until }) };
};

/** What the agent said, for the messages of the next turn. */
export const agentRunText = ({ parts }: FollowedAgentRun): string =>
  parts.flatMap((part) => (part.kind === 'text' && part.text ? [part.text] : [])).join('\n');
