import { ReadableStream } from 'node:stream/web';
import { StepError } from '../../core/errors/step-error.ts';
import { valueCounter, valuesMax } from '../../core/json/value-count.ts';
import { isStreamType, makeStreamingFetch } from './streaming-fetch.ts';

/** Of one response, or one stream. */
const bytesMax = 5_000_000;

const egress = makeStreamingFetch(() => bytesMax, true);

type Fetch = typeof globalThis.fetch;

export interface ExchangeLimits {
  /** Whom an error names. */
  server: string;
  requestsMax: number;
  /** Of one stream. */
  linesMax: number;
  /** Learns of a stream that breaks a limit, besides its reader. */
  onStreamRefused?: (error: StepError) => void;
}

export const isStream = ({ body, headers }: Response) =>
  body !== null && isStreamType(headers.get('content-type') ?? '');

/** @throws StepError if the server causes too many requests; a stream fails with one if it has too many lines. */
export function makeLimitedExchange(limits: ExchangeLimits): Fetch {
  const { server, requestsMax } = limits;
  let requests = 0;
  return async (url, init) => {
    requests += 1;
    if (requests > requestsMax) throw new StepError(`${server} causes more than ${requestsMax} requests`);
    const response = await egress(url, init);
    const { status, headers, body } = response;
    if (!body || !isStream(response)) return limitValues(response, server);
    return new Response(ReadableStream.from(limitLines(body, limits)) as never, { status, headers });
  };
}

/** What reads a message checks all of it, which takes longer than for other JSON. */
async function limitValues(response: Response, server: string): Promise<Response> {
  const { status, headers, body } = response;
  if (!body) return response;
  const bytes = await response.bytes();
  if (valueCounter()(bytes) > valuesMax) throw tooManyValues(server);
  return new Response(bytes as never, { status, headers });
}

const tooManyValues = (server: string) =>
  new StepError(
    `${server} answers with more than ${valuesMax} values, each list and object with what is in it counted`,
  );

async function* limitLines(body: AsyncIterable<Uint8Array>, limits: ExchangeLimits) {
  const { server, linesMax, onStreamRefused } = limits;
  let lines = 0;
  const countValues = valueCounter(true);
  try {
    for await (const chunk of body) {
      for (const byte of chunk) if (byte === 10) lines += 1;
      if (lines > linesMax) throw new StepError(`${server} streams more than ${linesMax} lines`);
      if (countValues(chunk) > valuesMax) throw tooManyValues(server);
      yield chunk;
    }
  } catch (error) {
    if (error instanceof StepError) onStreamRefused?.(error);
    throw error;
  }
}
