import { contentAs, responseContent } from '../../adapters/web/content.ts';
import { fetchUrlStep } from '../../domain/flows/step-types/fetch-url.ts';
import { httpStatusError, requestOf } from '../step-support/http-request.ts';
import { defineStepRunner } from '../step-support/step-runner.ts';

export const fetchUrl = defineStepRunner(fetchUrlStep, {
  async run(step) {
    const { http, responseType } = step.config;
    const reading = { sandbox: step.ports.sandbox, signal: step.signal };
    const answer = await step.ports.fetch(await requestOf(http, step));
    if (answer.status >= 400) throw httpStatusError(answer.url, answer);
    return {
      output: await (responseType
        ? contentAs[responseType](answer, reading)
        : responseContent(answer, reading)),
    };
  },
});
