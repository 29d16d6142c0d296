import type { LanguageModelV4Content, LanguageModelV4StreamPart } from '@ai-sdk/provider';
import type { AssistantPart } from '../model-port.ts';
import { inputIn } from './tool-input.ts';

/** Collects the parts of a response as a message of the assistant, with what the provider wants back in the next turn. */
export function openContent() {
  const parts: AssistantPart[] = [];
  const open = new Map<string, AssistantPart & { text: string }>();

  function add(part: AssistantPart, providerData: unknown): void {
    parts.push(part);
    keep(part, providerData);
  }

  return {
    /** Without empty texts, which some providers reject. */
    parts: (): AssistantPart[] =>
      parts.filter(
        (part) => part.type === 'tool-call' || part.text !== '' || part.providerData !== undefined,
      ),
    add(part: LanguageModelV4StreamPart | LanguageModelV4Content): void {
      if (part.type === 'text' || part.type === 'reasoning') {
        add({ type: part.type, text: part.text }, part.providerMetadata);
      } else if (part.type === 'text-start' || part.type === 'reasoning-start') {
        const started = { type: part.type === 'text-start' ? 'text' : 'reasoning', text: '' } as const;
        open.set(part.id, started);
        add(started, part.providerMetadata);
      } else if (part.type === 'text-delta' || part.type === 'reasoning-delta') {
        const current = open.get(part.id);
        if (current) current.text += part.delta;
        keep(current, part.providerMetadata);
      } else if (part.type === 'text-end' || part.type === 'reasoning-end') {
        keep(open.get(part.id), part.providerMetadata);
      } else if (part.type === 'tool-call') {
        const { toolCallId: id, toolName: name, input } = part;
        add({ type: 'tool-call', id, name, input: inputIn(input) ?? {} }, part.providerMetadata);
      }
    },
  };
}

function keep(part: AssistantPart | undefined, providerData: unknown): void {
  if (part && providerData !== undefined) part.providerData = providerData;
}
