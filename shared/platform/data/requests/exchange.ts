import type { Dispatcher } from 'undici';

export interface Answer {
  statusCode: number;
  headers: Record<string, string>;
  body: Uint8Array;
}

/** A signal in the older form that the SDK knows too. A native one costs 0.1 ms of CPU a request. */
export interface RequestSignal {
  aborted: boolean;
  onabort: (() => void) | null;
}

/** Sends a POST to `/`. @throws as the SDK's handler on Node: `AbortError`, and errors of the network by their codes. */
export function exchange(
  dispatcher: Dispatcher,
  headers: Record<string, string>,
  body: string,
  signal: RequestSignal | undefined,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(aborted());
    let answer: Omit<Answer, 'body'> | undefined;
    const chunks: Buffer[] = [];
    dispatcher.dispatch(
      { path: '/', method: 'POST', headers, body },
      {
        onRequestStart(controller) {
          if (!signal) return;
          if (signal.aborted) controller.abort(aborted());
          else signal.onabort = () => controller.abort(aborted());
        },
        onResponseStart(_controller, statusCode, received) {
          answer = { statusCode, headers: received as Record<string, string> };
        },
        onResponseData(_controller, chunk) {
          chunks.push(chunk);
        },
        onResponseEnd() {
          if (answer) resolve({ ...answer, body: Buffer.concat(chunks) });
        },
        onResponseError(_controller, error) {
          reject(asNodeError(error, { isBeforeAnswer: !answer }));
        },
      },
    );
  });
}

const aborted = () => Object.assign(new Error('Request aborted'), { name: 'AbortError' });

/** Undici's own errors by the codes that the SDK's retries know. */
const codes: Readonly<Record<string, string>> = {
  UND_ERR_SOCKET: 'ECONNRESET',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'ECONNRESET',
  UND_ERR_CONNECT_TIMEOUT: 'ETIMEDOUT',
};

/** Those that the SDK's handler calls a time-out, before there is an answer. */
const timeouts: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE', 'ETIMEDOUT']);

function asNodeError(
  error: Error & { code?: string },
  { isBeforeAnswer }: { isBeforeAnswer: boolean },
): Error {
  const code = codes[error.code ?? ''] ?? error.code;
  if (!code) return error;
  const own = code === error.code ? error : new Error(error.message, { cause: error });
  return Object.assign(own, { code }, isBeforeAnswer && timeouts.has(code) && { name: 'TimeoutError' });
}
