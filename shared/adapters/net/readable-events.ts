import { mayBeInexactIn, parseExactIn } from '../../core/json/exact-json.ts';
import { isJsonObject, parseAnswerJson, tryParseJson } from '../../core/json/json.ts';

export type EventJson = Record<string, unknown>;

export interface EventReader {
  /** Mends what one event says. @returns whether it has changed, or `omit` for one without meaning */
  event: (event: EventJson) => boolean | 'omit';
  /** @returns what stands before the `[DONE]` of a stream, if something is missing there */
  beforeDone?: () => EventJson | undefined;
}

interface EventSource {
  /** Whom an error names. */
  who: string;
  /** The members that are others' values: their numbers keep their digits, marked. */
  exact: ReadonlySet<string>;
  /** Whether an event without data means something: in MCP its id is where a reader goes on. */
  keepsEmpty?: true;
}

/**
 * Server-sent events as every library reads them: some servers send events without data, and end without the blank line that
 * ends the last one.
 * @throws StepError for more values than may be read
 */
export async function* readableEvents(
  chunks: AsyncIterable<Uint8Array>,
  reader: EventReader,
  source: EventSource,
): AsyncGenerator<Uint8Array> {
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  let rest = '';
  for await (const chunk of chunks) {
    const text = decoder.decode(chunk, { stream: true });
    const end = text.lastIndexOf('\n') + 1;
    if (end > 0) yield encoder.encode(mendText(rest + text.slice(0, end), reader, source));
    // Not searched again: a line may have megabytes.
    rest = end > 0 ? text.slice(end) : rest + text;
  }
  rest += decoder.decode();
  // The half of an event is none.
  yield encoder.encode(isWhole(rest) ? `${mendText(rest, reader, source)}\n\n` : rest);
}

// D133
const done = '[DONE]';

function isWhole(line: string): boolean {
  const data = line.replace(/^data:/, '').trim();
  return data === '' || data === done || tryParseJson(data) !== undefined;
}

const mendText = (
  text: string,
  { event: mend, beforeDone }: EventReader,
  { who, exact, keepsEmpty }: EventSource,
) =>
  text.replace(/^data:(.*)$/gm, (line, data: string) => {
    const said = data.trim();
    if (said === '') return keepsEmpty ? line : ': nothing';
    if (said === done) {
      const missing = beforeDone?.();
      return missing ? `data: ${JSON.stringify(missing)}\n\n${line}` : line;
    }
    const event = parseAnswerJson(data, who, (json) => parseExactIn(json, exact));
    const isChanged = isJsonObject(event) && (mend(event) || mayBeInexactIn(data, exact));
    if (!isChanged) return line;
    return isChanged === 'omit' ? ': not known here' : `data: ${JSON.stringify(event)}`;
  });
