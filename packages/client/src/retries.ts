export interface Retries {
  /** How often a request is sent again. */
  max: number;
  /** A longer `Retry-After` is up to the caller. */
  waitMsMax: number;
  pause: (ms: number, signal: AbortSignal | undefined) => Promise<void>;
}

const firstPauseMs = 500;

/** Sends a request again that may succeed the next time: after a network error, a 5xx, or a 429 that says when. */
export async function sendWithRetries(
  send: () => Promise<Response>,
  { max, waitMsMax, pause }: Retries,
  signal: AbortSignal | undefined,
): Promise<Response> {
  for (let attempt = 0; ; attempt++) {
    const pauseMs = firstPauseMs * 2 ** attempt;
    try {
      const response = await send();
      const waitMs = attempt < max ? await waitMsFor(response, pauseMs) : undefined;
      if (waitMs === undefined || waitMs > waitMsMax) return response;
      await response.body?.cancel();
      await pause(waitMs, signal);
    } catch (error) {
      if (!isNetworkError(error) || attempt >= max) throw error;
      await pause(pauseMs, signal);
    }
  }
}

/** `fetch` reports it so. */
export const isNetworkError = (error: unknown) => error instanceof TypeError;

/** When to send the request again; undefined if that is of no use. */
async function waitMsFor(response: Response, pauseMs: number): Promise<number | undefined> {
  const { status, headers } = response;
  const askedMs = retryAfterMs(headers.get('retry-after'));
  if (status === 429) return askedMs === undefined ? undefined : Math.max(askedMs, pauseMs);
  const isInUse = status === 409 && (await response.clone().text()).includes('"IDEMPOTENCY_KEY_IN_USE"');
  return status >= 500 || isInUse ? Math.max(askedMs ?? 0, pauseMs) : undefined;
}

/** The header has seconds or a date. */
function retryAfterMs(header: string | null): number | undefined {
  if (header === null) return undefined;
  const seconds = Number(header);
  const ms = Number.isNaN(seconds) ? Date.parse(header) - Date.now() : seconds * 1_000;
  return Number.isNaN(ms) ? undefined : Math.max(ms, 0);
}

export const pause = (ms: number, signal: AbortSignal | undefined) =>
  new Promise<void>((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal?.addEventListener('abort', stop);
  });
