import { mayBeInexactIn, parseExactIn } from '../../../core/json/exact-json.ts';
import { answeredJson, isJsonObject } from '../../../core/json/json.ts';
import { readableEvents } from '../../net/readable-events.ts';
import { streamingFetch } from '../../net/streaming-fetch.ts';
import { answerReader } from './readable-answers.ts';

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
  const text = content.toString('utf8').replace(/^\ufeff/, '');
  const value = answeredJson(text, 'The model', (json) => parseExactIn(json, inputs));
  const isListOfOne = Array.isArray(value) && value.length === 1;
  const answer: unknown = isListOfOne ? value[0] : value;
  if (!isJsonObject(answer)) return { content, status };
  if (answer.error) return { content, status: statusIn(answer.error) };
  const isChanged = answerReader(url)?.whole(answer) || isListOfOne || mayBeInexactIn(text, inputs);
  return { content: isChanged ? Buffer.from(JSON.stringify(answer)) : content, status };
}

/** Gemini names the status of HTTP as the code of an error. */
function statusIn(error: unknown): number {
  const { code, status } = error as { code?: unknown; status?: unknown };
  const named = [code, status].map(Number).find((each) => each >= 400 && each < 600);
  return named ?? 502;
}

function readableStream(chunks: AsyncIterable<Uint8Array>, url: string): AsyncIterable<Uint8Array> {
  const reader = answerReader(url);
  return reader ? readableEvents(chunks, reader, { who: 'The model', exact: inputs }) : chunks;
}

/** The members that are arguments of a tool. The rest is for the SDK, which knows no bigints. */
const inputs = new Set(['args', 'arguments', 'input']);
