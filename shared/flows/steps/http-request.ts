import * as z from 'zod';
import { jsonIn } from '../json.ts';
import type { HttpAnswer, HttpRequest } from '../ports.ts';
import { StepError, type StepRun } from '../step.ts';
import { Template, TemplatedJson } from '../templates.ts';

export const HeaderName = z.string().regex(/^[\w!#$%&'*+.^`|~-]+$/, 'Not the name of a header');
export const Headers = z.record(HeaderName, Template);
export const Method = z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']);

export const bodyOfGet = 'A GET request has no body';

/** A request as a step's config has it. */
export const Http = z
  .strictObject({
    url: Template.min(1),
    method: Method.optional().meta({ description: 'GET without it' }),
    headers: Headers.optional(),
    body: TemplatedJson.optional().meta({ description: 'Text or any JSON; texts in it are templates' }),
    timeout: z.int().min(1).max(300_000).optional().meta({ description: 'Milliseconds; 30,000 without it' }),
  })
  .refine(({ method = 'GET', body }) => method !== 'GET' || body === undefined, {
    path: ['body'],
    message: bodyOfGet,
  });
export type Http = z.infer<typeof Http>;

type Filling = Pick<StepRun<unknown>, 'render' | 'renderValue' | 'signal'>;

/** The request, its templates filled. `more` has what comes from elsewhere in the config. */
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
      ...(await rendered(headers, render)),
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

export async function rendered(
  headers: Record<string, string>,
  render: Filling['render'],
): Promise<Record<string, string>> {
  const filled = Object.entries(headers).map(async ([name, value]) => [
    name.toLowerCase(),
    await render(value),
  ]);
  return Object.fromEntries(await Promise.all(filled));
}

/** What a step fails with when the other side says no: who it was, its status, and the start of its words. */
export function refused(who: string, { status, text }: HttpAnswer): StepError {
  const start = text.trim().slice(0, 300);
  return new StepError(`${who} answered ${status}${start && `: ${start}`}`, {
    retryable: status === 429 || status >= 500,
  });
}
