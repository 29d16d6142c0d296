import { ApiError, ConnectionError } from '../../packages/client/src/client.ts';

/** What the requests of a load took and returned. */
export interface LoadMeasurement {
  /** From the planned time of each request to the end of its response, in ms. */
  latencies: number[];
  /** How many responses by status, or by the code of a network error. */
  outcomes: Record<string, number>;
  bytesReceived: number;
  seconds: number;
}

const requestMs = 60_000;

/** `fetch` that counts the bytes and the statuses of complete responses. */
export function meteredFetch(measured: Pick<LoadMeasurement, 'bytesReceived' | 'outcomes'>): typeof fetch {
  return async (input, init) => {
    const { status, headers, ...response } = await fetch(input, {
      ...init,
      signal: AbortSignal.timeout(requestMs),
    }).then(async (answer) => ({
      status: answer.status,
      headers: answer.headers,
      body: await answer.arrayBuffer(),
    }));
    measured.bytesReceived += response.body.byteLength;
    count(measured.outcomes, String(status));
    return new Response(response.body.byteLength > 0 ? response.body : null, { status, headers });
  };
}

/** Counts a request that had no response. A response with an error status is counted already. */
export function countFailure({ outcomes }: Pick<LoadMeasurement, 'outcomes'>, error: unknown): void {
  if (error instanceof ApiError) return;
  const failed = error instanceof ConnectionError ? error.cause : error;
  const { cause, name } = failed as Error & { cause?: { code?: string } };
  count(outcomes, cause?.code ?? name);
}

const count = (counts: Record<string, number>, name: string) => {
  counts[name] = (counts[name] ?? 0) + 1;
};
