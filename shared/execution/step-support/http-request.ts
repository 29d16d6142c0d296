import type { HttpRequest, HttpResponse } from '../../adapters/ports.ts';
import { jsonIn } from '../../core/json.ts';
import { StepError } from '../../core/step-error.ts';
import type { Http } from '../../domain/flows/steps/http-config.ts';
import type { StepRun } from './step-runner.ts';

type Filling = Pick<StepRun<unknown>, 'render' | 'renderValue' | 'signal'>;

/** The request with its templates rendered. `more` contains what other members of the config contribute. */
export async function requestOf(
  { url, method = 'GET', headers = {}, body, timeout = 30_000 }: Http,
  { render, renderValue, signal }: Filling,
  more: { body?: string | undefined; headers?: Record<string, string> } = {},
): Promise<HttpRequest> {
  const fill = async () =>
    typeof body === 'string' ? render(body) : JSON.stringify(await renderValue(body));
  const sent = more.body ?? (body === undefined ? undefined : await fill());
  return {
    url: (await render(url)).trim(),
    method,
    headers: {
      ...(sent !== undefined && typeOf(sent)),
      ...(await renderHeaders(headers, render)),
      ...more.headers,
    },
    body: sent,
    timeoutMs: timeout,
    signal,
  };
}

const typeOf = (body: string) => ({
  'content-type': jsonIn(body) !== undefined ? 'application/json' : 'text/plain; charset=utf-8',
});

export async function renderHeaders(
  headers: Record<string, string>,
  render: Filling['render'],
): Promise<Record<string, string>> {
  const filled = Object.entries(headers).map(async ([name, value]) => [
    name.toLowerCase(),
    await render(value),
  ]);
  return Object.fromEntries(await Promise.all(filled));
}

/** The error of a step for an HTTP error status: who responded, the status, and the start of the body. */
export function httpStatusError(who: string, { status, text }: HttpResponse): StepError {
  const start = text.trim().slice(0, 300);
  return new StepError(`${who} answered ${status}${start && `: ${start}`}`, {
    retryable: status === 429 || status >= 500,
  });
}
