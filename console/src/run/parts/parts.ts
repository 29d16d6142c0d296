import type { RunEvent, RunEventOf } from './events.ts';

/** One thing that an agent, or a step of a flow, did. */
export type RunPart =
  | { kind: 'text' | 'reasoning'; id: string; text: string }
  | ToolPart
  /** What a tool or the run itself says: a source, a message that the model gets. */
  | { kind: 'note'; id: string; name: string; value: unknown }
  | TurnPart
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

export interface TurnPart {
  kind: 'turn';
  id: string;
  number: number;
  outcome?: Pick<RunEventOf<'turn_complete'>, 'tokens' | 'cost' | 'stopReason' | 'fallback' | 'attempts'>;
}

type TextEvent = RunEventOf<`${'text' | 'reasoning'}_${'start' | 'delta' | 'complete'}`>;
type Kind = RunPart['kind'];
export type PartOf<K extends Kind> = Extract<RunPart, { kind: K }>;
export type OpenParts = ReturnType<typeof openParts>;

/** Parts that many events change: copied once for all of them. Events that are read again change nothing. */
export function openParts(before: readonly RunPart[]) {
  const parts = [...before];
  const places = new Map(parts.map(({ kind, id }, index) => [`${kind} ${id}`, index]));
  return {
    parts,
    add(part: RunPart): void {
      const name = `${part.kind} ${part.id}`;
      if (places.has(name)) return;
      places.set(name, parts.length);
      parts.push(part);
    },
    change<K extends Kind>(kind: K, id: string, edit: (part: PartOf<K>) => object): void {
      const index = places.get(`${kind} ${id}`);
      if (index === undefined) return;
      const part = parts[index] as PartOf<K>;
      parts[index] = { ...part, ...edit(part) };
    },
  };
}

/** Adds what the runs of flows and of agents have in common: texts, reasoning, tool calls, notes. */
export function addToParts({ add, change }: OpenParts, event: RunEvent): void {
  switch (event.type) {
    case 'text_start':
    case 'text_delta':
    case 'text_complete':
      add({ kind: 'text', id: event.id, text: '' });
      change('text', event.id, ({ text }) => ({ text: textAfter(text, event) }));
      break;
    case 'reasoning_start':
    case 'reasoning_delta':
    case 'reasoning_complete':
      add({ kind: 'reasoning', id: event.id, text: '' });
      change('reasoning', event.id, ({ text }) => ({ text: textAfter(text, event) }));
      break;
    case 'tool_start':
      add(newTool(event, event.toolType));
      break;
    case 'tool_input_delta':
      change('tool', event.toolCallId, ({ written }) => ({ written: written + event.delta }));
      break;
    case 'tool_input_complete':
      change('tool', event.toolCallId, () => ({ input: event.parameters }));
      break;
    case 'tool_complete': {
      const { result: output, error, executionTime: durationMs } = event;
      add(newTool(event));
      change('tool', event.toolCallId, () => ({ output, error, durationMs }));
      break;
    }
    case 'custom':
      add({ kind: 'note', id: `${event.seq}`, name: event.name, value: event.value });
      break;
    case 'source': {
      const { title, url } = event.source;
      const value = [title, url].filter(Boolean).join(' ');
      add({ kind: 'note', id: `${event.seq}`, name: 'source', value });
      break;
    }
  }
}

const newTool = ({ toolCallId: id, toolName: name }: { toolCallId: string; toolName: string }, type = '') =>
  ({ kind: 'tool', id, name, type, written: '' }) as const;

/** A text that broke off begins anew. */
const textAfter = (text: string, event: TextEvent): string =>
  'text' in event ? event.text : 'delta' in event ? text + event.delta : '';
