import { traceSerializer } from './trace-serializer.ts';

/** What a collector says of spans that it answered with 200. */
export interface PartialSuccess {
  /** 0 if it accepted all, and only warns. */
  rejectedSpans: number;
  message: string;
}

/** @returns undefined for a response that says nothing, or that is none of OTLP. */
export async function parsePartialSuccess(body: Uint8Array): Promise<PartialSuccess | undefined> {
  if (body.length === 0) return undefined;
  const said = tryDeserialize(body, await traceSerializer());
  const { rejectedSpans = 0, errorMessage: message = '' } = said ?? {};
  return rejectedSpans > 0 || message !== '' ? { rejectedSpans, message } : undefined;
}

function tryDeserialize(body: Uint8Array, serializer: Awaited<ReturnType<typeof traceSerializer>>) {
  try {
    return serializer.deserializeResponse(body).partialSuccess;
  } catch {
    return undefined;
  }
}
