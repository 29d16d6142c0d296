import type { LanguageModelV4Content, LanguageModelV4StreamPart } from '@ai-sdk/provider';
import type { AssistantMessage, AssistantPart } from '../ports/model-port.ts';

type Block = Extract<AssistantPart, { text: string }>;

/** Collects the parts of a response, in their order, as a message of the next request. */
export class ResponseMessage {
  readonly #parts: AssistantPart[] = [];
  readonly #open = new Map<string, Block>();

  /** @param toolInput The parsed input, if the part is a tool call. */
  add(part: LanguageModelV4StreamPart | LanguageModelV4Content, toolInput?: unknown): void {
    if (part.type === 'tool-call') {
      // Providers take only an object, whatever the model wrote.
      const input = toolInput ?? {};
      this.#parts.push({ type: part.type, id: part.toolCallId, name: part.toolName, input, ...dataOf(part) });
    }
    if (part.type === 'text' || part.type === 'reasoning') this.#start(part.type, part.text, part);
    if (part.type === 'text-start' || part.type === 'reasoning-start') {
      const type = part.type === 'text-start' ? 'text' : 'reasoning';
      this.#open.set(type + part.id, this.#start(type, '', part));
    }
    if (part.type === 'text-delta' || part.type === 'text-end') this.#continue('text', part);
    if (part.type === 'reasoning-delta' || part.type === 'reasoning-end') this.#continue('reasoning', part);
  }

  get message(): AssistantMessage {
    // Some providers reject an empty text.
    const content = this.#parts.filter((part) => part.type === 'tool-call' || part.text || part.providerData);
    return { role: 'assistant', content };
  }

  #start(type: Block['type'], text: string, said: Said): Block {
    const block = { type, text, ...dataOf(said) };
    this.#parts.push(block);
    return block;
  }

  #continue(type: Block['type'], part: Said & { id: string; delta?: string }): void {
    const block = this.#open.get(type + part.id);
    if (!block) return;
    block.text += part.delta ?? '';
    if (part.providerMetadata) Object.assign(block, dataOf(part, block.providerData));
  }
}

type Said = { providerMetadata?: Record<string, Record<string, unknown>> | undefined };

/** The provider data of a part, with that of its earlier pieces. */
function dataOf({ providerMetadata = {} }: Said, earlier: AssistantPart['providerData'] = {}) {
  const added = Object.entries(providerMetadata).map(([provider, data]) => [
    provider,
    { ...(earlier[provider] as object | undefined), ...data },
  ]);
  return added.length > 0 ? { providerData: { ...earlier, ...Object.fromEntries(added) } } : {};
}
