import { tokensOfMessage } from '../../adapters/models/token-estimate.ts';
import type { ModelMessage, ToolResultPart } from '../../adapters/ports/model-port.ts';
import { truncate } from '../../core/text.ts';
import { estimateTokens } from './context-size.ts';

/** The characters that a result keeps, attempt by attempt. */
const attempts = [8_000, 2_000, 500];

/** Shortens the oldest results first, and all of them a little before any of them much. May not reach the size. */
export function shortened(messages: readonly ModelMessage[], tokensMax: number): readonly ModelMessage[] {
  let result = messages;
  let tokens = estimateTokens(result);
  for (const charactersMax of attempts) {
    for (const [index, message] of result.entries()) {
      if (tokens <= tokensMax) return result;
      if (message.role !== 'tool') continue;
      const content = message.content.map((part) => withShortOutput(part, charactersMax));
      if (content.every((part, n) => part === message.content[n])) continue;
      const shorter = { ...message, content };
      result = result.with(index, shorter);
      tokens += tokensOfMessage(shorter) - tokensOfMessage(message);
    }
  }
  return result;
}

function withShortOutput(part: ToolResultPart, charactersMax: number): ToolResultPart {
  const text = typeof part.output === 'string' ? part.output : (JSON.stringify(part.output) ?? '');
  if (text.length <= charactersMax) return part;
  const note = `… (shortened from ${text.length} characters; call the tool again if you need the rest)`;
  return { ...part, output: `${truncate(text, charactersMax - note.length)}${note}` };
}
