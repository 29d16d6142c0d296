import { contentAs, responseContent } from '../../adapters/web/content.ts';
import { fetchUrlStep } from '../../domain/flows/step-types/fetch-url.ts';
import { httpStatusError, plannedRequest, requestTimeoutMs } from '../step-support/http-request.ts';
import { defineActingRunner } from '../step-support/step-runner.ts';

export const fetchUrlRunner = defineActingRunner(fetchUrlStep, {
  async plan(step) {
    const { http, responseType } = step.config;
    return { request: { ...(await plannedRequest(http, step)), responseType } };
  },

  async perform({ responseType, ...request }, { config: { http }, ports, signal }) {
    const reading = { sandbox: ports.sandbox, signal };
    const answer = await ports.fetch({ ...request, timeoutMs: requestTimeoutMs(http), signal });
    if (answer.status >= 400) throw httpStatusError(answer.url, answer);
    return {
      output: await (responseType
        ? contentAs[responseType](answer, reading)
        : responseContent(answer, reading)),
    };
  },
});
