import type { HttpResponse } from '../../adapters/ports.ts';
import { jsonIn, valueAt } from '../../core/json.ts';
import { apiCallStep } from '../../domain/flows/step-types/api-call.ts';
import { authorization } from '../step-support/http-auth.ts';
import { httpStatusError, requestOf } from '../step-support/http-request.ts';
import { defineStepRunner } from '../step-support/step-runner.ts';

export const apiCall = defineStepRunner(apiCallStep, {
  async run(step) {
    const { http, auth, requestTemplate, responseMapping } = step.config;
    const answer = await step.ports.fetch(
      await requestOf(http, step, {
        body: requestTemplate === undefined ? undefined : await step.render(requestTemplate),
        headers: await authorization(auth, step.render),
      }),
    );
    const { status, headers } = answer;
    if (status >= 400) throw httpStatusError('The API', answer);
    const body = bodyIn(answer);
    if (!responseMapping) return { output: { status, headers, body } };
    const mapped = Object.entries(responseMapping).map(([name, path]) => [name, valueAt(body, path) ?? null]);
    return { output: Object.fromEntries(mapped) };
  },
});

const looksLikeJson = /^\s*[[{]/;

function bodyIn({ headers, text }: HttpResponse): unknown {
  const isJson = /\bjson\b/i.test(headers['content-type'] ?? '') || looksLikeJson.test(text);
  const body = isJson ? jsonIn(text) : undefined;
  return body === undefined ? text : body;
}
