import { apiCallStep } from '../../domain/flows/step-types/api-call.ts';
import { authorization } from '../step-support/http-auth.ts';
import { bodyIn, httpStatusError, mappedBody, requestOf } from '../step-support/http-request.ts';
import { defineStepRunner } from '../step-support/step-runner.ts';

export const apiCall = defineStepRunner(apiCallStep, {
  async run(step) {
    const { http, auth, requestTemplate, responseMapping } = step.config;
    const answer = await step.ports.fetch(
      await requestOf(http, step, {
        isTraced: true,
        body: requestTemplate === undefined ? undefined : await step.render(requestTemplate),
        headers: await authorization(auth, step.render),
      }),
    );
    const { status, headers } = answer;
    if (status >= 400) throw httpStatusError('The API', answer);
    const body = bodyIn(answer);
    return { output: responseMapping ? mappedBody(body, responseMapping) : { status, headers, body } };
  },
});
