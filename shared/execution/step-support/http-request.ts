/**
 * The HTTP requests that steps and tools make: plans them from a config, sends them, and reads the response.
 * `planRequest` renders URL, headers, credentials and body first; nothing is rendered after that, so the plan is what a
 * preview shows and what a repeated run compares. Values in a JSON body stay inside of the literals that they stand in,
 * and a body that variables make invalid is not sent.
 * A request that may change something is an act: it is recorded before it is sent, and the other side can recognise a
 * repetition by its `Idempotency-Key`. Responses of 400 and above are errors that say whether a retry can help.
 * Steps (`api-call`, `fetch-url`, `paginate-api`, `wait-for-callback`), tools over HTTP and external agents call it.
 */
import type { HttpRequest, HttpResponse } from '../../adapters/ports/http-port.ts';
import type { Ports } from '../../adapters/ports/ports.ts';
import { escapeInJson, isJsonTemplate, isJsonText } from '../../adapters/templates/json-template.ts';
import { isPlain } from '../../adapters/templates/limits.ts';
import { failureOfStatus, StepError } from '../../core/errors/step-error.ts';
import { parseAnswerJson, readPath, tryParseJson } from '../../core/json/json.ts';
import { textHasTooManyValues } from '../../core/json/value-count.ts';
import { type Auth, type Http, isSafe } from '../../domain/flows/steps/http-config.ts';
import type { StepPerforming, StepRun } from './step-runner.ts';

type Filling = Pick<StepRun<unknown>, 'render' | 'renderValue'>;
export type PlannedRequest = Pick<HttpRequest, 'url' | 'method' | 'headers' | 'body'>;

const timeoutMsDefault = 30_000;
export const requestTimeoutMs = ({ timeout = timeoutMsDefault }: Pick<Http, 'timeout'>) => timeout;

/** @param more What other members of the config contribute. Replaces the URL and the body if the caller made them. */
export async function planRequest(
  { url, method = 'GET', headers = {}, body }: Http,
  { render, renderValue }: Filling,
  more: { url?: string; body?: string | undefined; headers?: Record<string, string> } = {},
): Promise<PlannedRequest> {
  const stated = { ...(await renderHeaders(headers, render)), ...more.headers };
  const fill = async () =>
    typeof body === 'string'
      ? fillBody(body, stated['content-type'], render)
      : JSON.stringify(await renderValue(body));
  const sent = more.body ?? (body === undefined ? undefined : await fill());
  return {
    url: more.url ?? (await render(url)).trim(),
    method,
    headers: { ...(sent !== undefined && toContentType(sent)), ...stated },
    body: sent,
  };
}

const jsonType = /^\s*application\/(?:[\w.-]+\+)?json\b/i;

/** In JSON, values stay in the literals that they stand in. @throws StepError if variables make it no JSON */
async function fillBody(template: string, type: string | undefined, render: Filling['render']) {
  const isMeantAsJson = type === undefined ? isJsonTemplate(template) : jsonType.test(type);
  if (!isMeantAsJson || isPlain(template)) return render(template);
  const filled = await render(escapeInJson(template));
  if (filled.trim() === '' || textHasTooManyValues(filled) || isJsonText(filled)) return filled;
  throw new StepError(
    'The body is meant as JSON, and is none with the variables in it, so it was not sent. Write {{ name | json }} for a value without quotes around it, or give the body as an object',
  );
}

const toContentType = (body: string) => ({
  'content-type': isJson(body) ? 'application/json' : 'text/plain; charset=utf-8',
});

/** One of too many values is not parsed. */
const isJson = (text: string) =>
  textHasTooManyValues(text) ? looksLikeJson.test(text) : tryParseJson(text) !== undefined;

type Sending = Pick<StepPerforming<unknown>, 'act' | 'ports' | 'signal'>;

/**
 * Sends a request. One that may change something is an act, which the other side can recognise by its key.
 * @param who Of the error. @throws StepError also for an answer of 400 or above.
 */
export async function sendRequest(
  { act, ports, signal }: Sending,
  request: PlannedRequest,
  { who, timeoutMs }: { who: (answer: HttpResponse) => string; timeoutMs: number },
): Promise<HttpResponse> {
  const send = async (headers: PlannedRequest['headers']) => {
    const answer = await ports.fetch({ ...request, headers, timeoutMs, signal });
    if (answer.status >= 400) throw httpStatusError(who(answer), answer);
    return answer;
  };
  const { method, url, headers, body } = request;
  if (isSafe(method)) return send(headers);
  return act({ method, url, body }, (key) => send({ ...toKeyHeader(key), ...headers }));
}

/** By which a server knows that it got a request before. A header of the author replaces it. */
export const toKeyHeader = (key: string) => ({ 'idempotency-key': key });

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

export function httpStatusError(who: string, { status, text, headers }: HttpResponse): StepError {
  const start = text.trim().slice(0, 300);
  return new StepError(`${who} answered ${status}${start && `: ${start}`}`, {
    ...failureOfStatus(status, headers['retry-after']),
  });
}

const looksLikeJson = /^\s*[[{]/;
/** Not those of JSON in lines or after record separators. */
const isNamedJson = /^\s*(?:application|text)\/(?:[\w.-]+\+)?json\s*(?:;|$)/i;

/** The body of a response: a value if it is JSON, else text. */
export function parseBody({ headers, text }: HttpResponse, { warn }: Pick<Ports, 'warn'>): unknown {
  const type = headers['content-type'] ?? '';
  const mayBeJson = /\bjson\b/i.test(type) || looksLikeJson.test(text);
  const body = mayBeJson ? parseAnswerJson(text, 'The API') : undefined;
  if (body !== undefined) return body;
  if (isNamedJson.test(type) && text.trim() !== '') {
    const start = text.trim().slice(0, 100);
    warn({
      code: 'NOT_JSON',
      message: `The API says that its answer is JSON, but it is not. It begins with: ${start}`,
    });
  }
  return text;
}

export const mapBody = (body: unknown, paths: Readonly<Record<string, string>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(paths).map(([name, path]) => [name, readPath(body, path) ?? null]));

export async function authorization(
  auth: Auth | undefined,
  render: StepRun<unknown>['render'],
): Promise<Record<string, string>> {
  switch (auth?.type) {
    case 'basic': {
      const [username, password] = await Promise.all([render(auth.username), render(auth.password)]);
      return toCredentialHeaders({ type: 'basic', username, password });
    }
    case 'bearer':
    case 'api_key':
    case 'custom_header':
      return toCredentialHeaders({ ...auth, token: await render(auth.token) });
    default:
      return {};
  }
}

export interface HeaderCredentials {
  type: 'none' | 'bearer' | 'basic' | 'api_key' | 'custom_header';
  token?: string | undefined;
  username?: string | undefined;
  password?: string | undefined;
  headerName?: string | undefined;
}

/** The headers with the credentials; none if their value is missing. */
export function toCredentialHeaders(credentials: HeaderCredentials | undefined): Record<string, string> {
  const { type = 'none', token, username, password, headerName = 'X-API-Key' } = credentials ?? {};
  if (type === 'basic' && (username !== undefined || password !== undefined)) {
    const pair = `${username ?? ''}:${password ?? ''}`;
    return { authorization: `Basic ${Buffer.from(pair).toString('base64')}` };
  }
  if (token === undefined || type === 'none' || type === 'basic') return {};
  return type === 'bearer' ? { authorization: `Bearer ${token}` } : { [headerName.toLowerCase()]: token };
}
