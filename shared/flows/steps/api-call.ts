import * as z from 'zod';
import { jsonIn, valueAt } from '../json.ts';
import type { HttpAnswer } from '../ports.ts';
import { defineStep } from '../step.ts';
import { Template } from '../templates.ts';
import { Auth, authorization } from './http-auth.ts';
import { bodyOfGet, Http, refused, requestOf } from './http-request.ts';
import { plainMembers } from './members.ts';

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
    if (requestTemplate === undefined) return;
    const refuse = (message: string) => context.addIssue({ code: 'custom', path: ['http', 'body'], message });
    if (body !== undefined) refuse('Give either http.body or requestTemplate');
    else if (method === 'GET') refuse(bodyOfGet);
  });

export const apiCallStep = defineStep({
  type: 'api-call',
  summary: 'Call an HTTP API',
  config: Config,
  output: z.union([
    z.object({ status: z.int(), headers: z.record(z.string(), z.string()), body: z.unknown() }),
    z.record(z.string(), z.unknown()),
  ]),
  effects: true,
  takesSecrets: true,
  permission: null,
  async run(step) {
    const { http, auth, requestTemplate, responseMapping } = step.config;
    const answer = await step.ports.fetch(
      await requestOf(http, step, {
        body: requestTemplate === undefined ? undefined : await step.render(requestTemplate),
        headers: await authorization(auth, step.render),
      }),
    );
    const { status, headers } = answer;
    if (status >= 400) throw refused('The API', answer);
    const body = bodyIn(answer);
    if (!responseMapping) return { output: { status, headers, body } };
    const mapped = Object.entries(responseMapping).map(([name, path]) => [name, valueAt(body, path) ?? null]);
    return { output: Object.fromEntries(mapped) };
  },
});

const looksLikeJson = /^\s*[[{]/;

function bodyIn({ headers, text }: HttpAnswer): unknown {
  const isJson = /\bjson\b/i.test(headers['content-type'] ?? '') || looksLikeJson.test(text);
  const body = isJson ? jsonIn(text) : undefined;
  return body === undefined ? text : body;
}
