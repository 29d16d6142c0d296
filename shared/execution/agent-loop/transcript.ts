import type { ModelMessage } from '../../adapters/ports/model-port.ts';
import { truncate } from '../../core/text.ts';

const textCharactersMax = 8_000;
const resultCharactersMax = 2_000;

/** Messages as JSON lines, for a model that summarises them. Long texts and results are cut, files are named. */
export const toTranscript = (messages: readonly ModelMessage[]): string[] =>
  messages.flatMap(({ role, content }) => {
    const parts = typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content;
    return parts.flatMap((part) => JSON.stringify(shown(role, part)) ?? []);
  });

type Part = Exclude<ModelMessage['content'], string>[number];

function shown(role: string, part: Part): object | undefined {
  switch (part.type) {
    case 'text':
      return { role, text: cut(part.text, textCharactersMax) };
    case 'file':
      return { role, file: part.filename ?? part.mediaType };
    case 'tool-call':
      return { role, calls: part.name, input: short(part.input) };
    case 'tool-result':
      return { tool: part.name, failed: part.failed, result: short(part.output) };
    default:
      return undefined;
  }
}

/** The value, or the beginning of its JSON. */
function short(value: unknown): unknown {
  const json = JSON.stringify(value) ?? 'null';
  return json.length <= resultCharactersMax
    ? value
    : cut(typeof value === 'string' ? value : json, resultCharactersMax);
}

const cut = (text: string, charactersMax: number) =>
  text.length <= charactersMax
    ? text
    : `${truncate(text, charactersMax)}… (${text.length - charactersMax} more characters)`;
