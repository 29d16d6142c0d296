import * as z from 'zod';
import { jsonIn, valueAt } from '../json.ts';
import type { HttpAnswer, HttpRequest } from '../ports.ts';
import { defineStep, StepError, type StepRun } from '../step.ts';
import { renderValue, Template, TemplatedJson } from '../templates.ts';
import { plainMembers } from './members.ts';

const HeaderName = z.string().regex(/^[\w!#$%&'*+.^`|~-]+$/, 'Not the name of a header');

const Auth = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('none') }),
  z.strictObject({ type: z.literal('bearer'), token: Template.min(1) }),
  z.strictObject({ type: z.literal('basic'), username: Template, password: Template }),
  z.strictObject({
    type: z.enum(['api_key', 'custom_header']),
    token: Template.min(1),
    headerName: HeaderName.optional().meta({ description: 'X-API-Key without it' }),
  }),
]);

const Http = z.strictObject({
  url: Template.min(1),
  method: z
    .enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])
    .optional()
    .meta({ description: 'GET without it' }),
  headers: z.record(HeaderName, Template).optional(),
  body: TemplatedJson.optional().meta({ description: 'Text or any JSON; texts in it are templates' }),
  timeout: z.int().min(1).max(300_000).optional().meta({ description: 'Milliseconds; 30,000 without it' }),
});

const Config = z
  .strictObject({
    http: Http,
    auth: Auth.optional(),
    requestTemplate: Template.optional().meta({ description: 'A template of the whole body' }),
    responseMapping: z
      .record(z.string().min(1), z.string().min(1).max(500))
      .optional()
      .meta({ description: 'Name in the output → path in the response’s body, such as data.items[0].id' }),
    ...plainMembers,
  })
  .superRefine(({ http: { method = 'GET', body }, requestTemplate }, context) => {
    const refuse = (message: string) => context.addIssue({ code: 'custom', path: ['http', 'body'], message });
    if (body !== undefined && requestTemplate !== undefined)
      refuse('Give either http.body or requestTemplate');
    if (method === 'GET' && (body ?? requestTemplate) !== undefined) refuse('A GET request has no body');
  });
type Config = z.infer<typeof Config>;

export const apiCallStep = defineStep({
  type: 'api-call',
  summary: 'Call an HTTP API',
  config: Config,
  output: z.union([
    z.object({ status: z.int(), headers: z.record(z.string(), z.string()), body: z.unknown() }),
    z.record(z.string(), z.unknown()),
  ]),
  effects: true,
  async run(step) {
    const answer = await step.ports.fetch(requestOf(step));
    const { status, headers } = answer;
    if (status >= 400) throw refused(answer);
    const body = bodyIn(answer);
    const mapping = step.config.responseMapping;
    if (!mapping) return { output: { status, headers, body } };
    const mapped = Object.entries(mapping).map(([name, path]) => [name, valueAt(body, path) ?? null]);
    return { output: Object.fromEntries(mapped) };
  },
});

function requestOf({ config, variables, render, signal }: StepRun<Config>): HttpRequest {
  const { url, method = 'GET', headers = {}, timeout = 30_000 } = config.http;
  const body = bodyOf(config, (value) => renderValue(value, variables), render);
  const rendered = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), render(value)]);
  return {
    url: render(url).trim(),
    method,
    headers: {
      ...(body !== undefined && {
        'content-type': jsonIn(body) !== undefined ? 'application/json' : 'text/plain; charset=utf-8',
      }),
      ...Object.fromEntries(rendered),
      ...authorization(config.auth, render),
    },
    body,
    timeoutMs: timeout,
    signal,
  };
}

function bodyOf(
  { http, requestTemplate }: Config,
  fill: (value: unknown) => unknown,
  render: StepRun<Config>['render'],
) {
  if (requestTemplate !== undefined) return render(requestTemplate);
  if (http.body === undefined) return undefined;
  return typeof http.body === 'string' ? render(http.body) : JSON.stringify(fill(http.body));
}

function authorization(auth: Config['auth'], render: StepRun<Config>['render']): Record<string, string> {
  switch (auth?.type) {
    case 'bearer':
      return { authorization: `Bearer ${render(auth.token)}` };
    case 'basic': {
      const pair = `${render(auth.username)}:${render(auth.password)}`;
      return { authorization: `Basic ${Buffer.from(pair).toString('base64')}` };
    }
    case 'api_key':
    case 'custom_header':
      return { [(auth.headerName ?? 'X-API-Key').toLowerCase()]: render(auth.token) };
    default:
      return {};
  }
}

function refused({ status, text }: HttpAnswer): StepError {
  const start = text.trim().slice(0, 300);
  return new StepError(`The API answered ${status}${start && `: ${start}`}`, {
    retryable: status === 429 || status >= 500,
  });
}

const looksLikeJson = /^\s*[[{]/;

function bodyIn({ headers, text }: HttpAnswer): unknown {
  const isJson = /\bjson\b/i.test(headers['content-type'] ?? '') || looksLikeJson.test(text);
  const body = isJson ? jsonIn(text) : undefined;
  return body === undefined ? text : body;
}
