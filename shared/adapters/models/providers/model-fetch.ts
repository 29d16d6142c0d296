import { answeredJson, isJsonObject } from '../../../core/json/json.ts';
import { streamingFetch } from '../../net/streaming-fetch.ts';
import { type AnswerReader, answerReader } from './readable-answers.ts';

/** The longest text of a response, equal to the limit for scripts and templates. */
export const responseCharactersMax = 4_000_000;

/** A streamed response has some 300 bytes of JSON for every few characters. */
const bytesMax = { whole: 10_000_000, streamed: 50_000_000 };

/** What a fetch is for. 500 texts may have vectors of 4,096 numbers. */
export type FetchKind = keyof typeof bytesMaxOf;
const bytesMaxOf = {
  model: (isStream: boolean) => (isStream ? bytesMax.streamed : bytesMax.whole),
  embedding: () => 50_000_000,
};

/** A fetch for provider SDKs, which get answers as they can read them. @param guarded Reaches only public addresses. */
export const fetchFor = (kind: FetchKind, guarded: boolean) =>
  streamingFetch(bytesMaxOf[kind], guarded, kind === 'model' ? readable : undefined);

const readable = { whole: readableAnswer, stream: readableStream };

/** An answer that states an error is one, whatever its status says. */
function readableAnswer(content: Buffer, url: string, status: number): { content: Buffer; status: number } {
  if (status >= 400) return { content, status };
  const answer = parsedObject(content.toString('utf8').replace(/^\ufeff/, ''));
  if (answer?.error) return { content, status: statusIn(answer.error) };
  const isChanged = answer && answerReader(url)?.whole(answer);
  return { content: isChanged ? Buffer.from(JSON.stringify(answer)) : content, status };
}

/** Gemini names the status of HTTP as the code of an error. */
function statusIn(error: unknown): number {
  const { code, status } = error as { code?: unknown; status?: unknown };
  const named = [code, status].map(Number).find((each) => each >= 400 && each < 600);
  return named ?? 502;
}

async function* readableStream(chunks: AsyncIterable<Uint8Array>, url: string): AsyncGenerator<Uint8Array> {
  const reader = answerReader(url);
  if (!reader) return yield* chunks;
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  let rest = '';
  for await (const chunk of chunks) {
    const text = rest + decoder.decode(chunk, { stream: true });
    const end = text.lastIndexOf('\n') + 1;
    rest = text.slice(end);
    if (end > 0) yield encoder.encode(readableLines(text.slice(0, end), reader));
  }
  rest += decoder.decode();
  if (rest) yield encoder.encode(readableLines(rest, reader));
}

const readableLines = (text: string, reader: AnswerReader) =>
  text.replace(/^data:(.*)$/gm, (line, data: string) => {
    const event = parsedObject(data);
    const isChanged = event && reader.event(event);
    if (!isChanged) return line;
    return isChanged === 'omit' ? ': not known here' : `data: ${JSON.stringify(event)}`;
  });

/** @throws StepError for more values than may be read. */
function parsedObject(text: string): Record<string, unknown> | undefined {
  const value = answeredJson(text, 'The model');
  return isJsonObject(value) ? value : undefined;
}
