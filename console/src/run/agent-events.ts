import type { EventOf } from '../api/api.ts';

export type AgentEvent = Exclude<
  EventOf<'POST /v1/agents/{id}/execute'>,
  { type: `step_${string}` } | { type: 'ping' }
>;

/** What a run waits for: somebody allows a call, or executes it. */
export interface Wait {
  toolCallId: string;
  approvalId?: string;
  toolName: string;
  parameters: unknown;
  until?: string;
}

export type Part =
  | { kind: 'text' | 'reasoning'; id: string; text: string }
  | { kind: 'turn'; id: string; number: number; outcome?: TurnOutcome }
  | ToolPart
  | { kind: 'decision'; id: string; decision: string; reason: string | undefined };

export interface ToolPart {
  kind: 'tool';
  id: string;
  name: string;
  type: string;
  /** As the model writes it, until it is whole. */
  written: string;
  input?: unknown;
  output?: unknown;
  error?: string;
  durationMs?: number;
}

interface TurnOutcome {
  tokens: { input: number; output: number };
  cost: string | null;
  stopReason: string;
  fallback: string | undefined;
}

/** What is known of a run from its events. */
export interface RunView {
  executionId?: string;
  parts: readonly Part[];
  waits: readonly Wait[];
  end?: {
    error?: string;
    stopReason?: string;
    tokens?: { input: number; output: number };
    cost?: string | null;
    durationMs?: number;
  };
}

export const emptyRun: RunView = { parts: [], waits: [] };

/** Adds events in a batch, so that the parts are copied once for many of them. */
export function withEvents(run: RunView, events: readonly AgentEvent[]): RunView {
  const draft = { ...run, parts: [...run.parts], waits: [...run.waits] };
  const places = new Map(draft.parts.map((part, index) => [`${part.kind} ${part.id}`, index]));
  const change = <K extends Part['kind']>(
    kind: K,
    id: string,
    edit: (part: Extract<Part, { kind: K }>) => object,
  ) => {
    const index = places.get(`${kind} ${id}`);
    if (index === undefined) return;
    const part = draft.parts[index] as Extract<Part, { kind: K }>;
    draft.parts[index] = { ...part, ...edit(part) };
  };
  const add = (part: Part) => {
    const name = `${part.kind} ${part.id}`;
    if (places.has(name)) return;
    places.set(name, draft.parts.length);
    draft.parts.push(part);
  };
  for (const event of events) {
    draft.executionId = event.executionId;
    switch (event.type) {
      case 'turn_start':
        add({ kind: 'turn', id: event.id, number: event.iteration });
        break;
      case 'turn_complete': {
        const { tokens, cost, stopReason, fallback } = event;
        change('turn', event.id, () => ({ outcome: { tokens, cost, stopReason, fallback } }));
        break;
      }
      case 'text_start':
        add({ kind: 'text', id: event.id, text: '' });
        // One that broke off, or is read again, begins anew.
        change('text', event.id, () => ({ text: '' }));
        break;
      case 'text_delta':
        change('text', event.id, ({ text }) => ({ text: text + event.delta }));
        break;
      case 'text_complete':
        add({ kind: 'text', id: event.id, text: '' });
        change('text', event.id, () => ({ text: event.text }));
        break;
      case 'reasoning_start':
        add({ kind: 'reasoning', id: event.id, text: '' });
        // One that broke off, or is read again, begins anew.
        change('reasoning', event.id, () => ({ text: '' }));
        break;
      case 'reasoning_delta':
        change('reasoning', event.id, ({ text }) => ({ text: text + event.delta }));
        break;
      case 'reasoning_complete':
        add({ kind: 'reasoning', id: event.id, text: '' });
        change('reasoning', event.id, () => ({ text: event.text }));
        break;
      case 'tool_start':
        add({ kind: 'tool', id: event.toolCallId, name: event.toolName, type: event.toolType, written: '' });
        break;
      case 'tool_input_delta':
        change('tool', event.toolCallId, ({ written }) => ({ written: written + event.delta }));
        break;
      case 'tool_input_complete':
        change('tool', event.toolCallId, () => ({ input: event.parameters }));
        break;
      case 'tool_complete': {
        const { toolCallId, toolName, result: output, error, executionTime: durationMs } = event;
        add({ kind: 'tool', id: toolCallId, name: toolName, type: '', written: '' });
        change('tool', toolCallId, () => ({ output, error, durationMs }));
        draft.waits = draft.waits.filter((wait) => wait.toolCallId !== toolCallId);
        break;
      }
      case 'approval_complete': {
        const { approvalId, decision, reason } = event;
        add({ kind: 'decision', id: approvalId, decision, reason });
        draft.waits = draft.waits.filter((wait) => wait.approvalId !== approvalId);
        break;
      }
      case 'await':
        draft.waits = withWait(draft.waits, event);
        break;
      case 'execution_complete': {
        const { error, stopReason, totalTokens: tokens, totalCost: cost, durationMs } = event;
        draft.end = { ...(error && { error }), ...(stopReason && { stopReason }), tokens, cost, durationMs };
        draft.waits = [];
        break;
      }
      case 'execution_error':
        draft.end = { error: event.error.message };
        draft.waits = [];
        break;
    }
  }
  return draft;
}

function withWait(waits: readonly Wait[], event: Extract<AgentEvent, { type: 'await' }>): Wait[] {
  const { toolCallId = '', approvalId, toolName = '', parameters, until } = event;
  const wait = {
    ...{ toolCallId, toolName, parameters },
    ...(approvalId && { approvalId }),
    ...(until && { until }),
  };
  return [...waits.filter((each) => each.toolCallId !== toolCallId), wait];
}

/** What the agent said, for the messages of the next turn. */
export const textOf = ({ parts }: RunView): string =>
  parts.flatMap((part) => (part.kind === 'text' && part.text ? [part.text] : [])).join('\n');
