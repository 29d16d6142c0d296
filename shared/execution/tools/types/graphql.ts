import * as z from 'zod';
import type { HttpResponse } from '../../../adapters/ports/http-port.ts';
import { failureOfStatus, StepError } from '../../../core/errors/step-error.ts';
import { parseAnswerJson } from '../../../core/json/json.ts';
import { graphqlTool } from '../../../domain/tools/tool-types/graphql.ts';
import { authorization, httpStatusError, planRequest } from '../../step-support/http-request.ts';
import { renderToolUrl, send, toShownRequest } from '../../tool-support/send.ts';
import { defineToolRunner } from '../../tool-support/tool-runner.ts';

const messagesMax = 5;

/** A response by the GraphQL specification. `data` is absent or null if nothing could be executed. */
const Response = z.object({
  data: z.unknown().optional(),
  errors: z
    .array(z.looseObject({ message: z.string() }))
    .min(1)
    .optional(),
});

export const graphqlToolRunner = defineToolRunner(graphqlTool, {
  async plan(call) {
    const { auth, url, headers, query, operationName, variables } = call.config;
    const values = variables === undefined ? call.args : await call.renderValue(variables);
    const request = await planRequest({ url, method: 'POST', headers }, call, {
      url: await renderToolUrl(call),
      headers: {
        accept: 'application/graphql-response+json, application/json',
        ...(await authorization(auth, call.render)),
      },
      body: JSON.stringify({ query, ...(operationName && { operationName }), variables: values }),
    });
    return { request };
  },
  async perform(request, call) {
    const answer = await send(request, call);
    const parsed = Response.safeParse(parseAnswerJson(answer.text, 'The GraphQL server'));
    if (!parsed.success) {
      if (answer.status >= 400) throw httpStatusError('The GraphQL server', answer);
      throw new StepError('The GraphQL server did not answer with a GraphQL response');
    }
    const { data, errors } = parsed.data;
    if (data !== undefined && data !== null) return { output: { data, ...(errors && { errors }) } };
    if (errors)
      throw failure(
        errors.map(({ message }) => call.ports.shown(message)),
        answer,
      );
    if (answer.status >= 400) throw httpStatusError('The GraphQL server', answer);
    return { output: { data: data ?? null } };
  },
  // Even a query is a POST, and a mutation has effects.
  repeatable: () => false,
  shown: toShownRequest,
});

function failure(errors: readonly string[], { status, headers }: HttpResponse): StepError {
  const messages = errors.slice(0, messagesMax).map((message) => message.slice(0, 300));
  const more = errors.length - messages.length;
  const listed = [...messages, ...(more > 0 ? [`${more} more`] : [])].join('; ');
  return new StepError(`The GraphQL server answered with errors: ${listed}`, {
    ...failureOfStatus(status, headers['retry-after']),
  });
}
