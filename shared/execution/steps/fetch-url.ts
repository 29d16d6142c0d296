import { contentAs, responseContent } from '../../adapters/web/content.ts';
import { fetchUrlStep } from '../../domain/flows/step-types/fetch-url.ts';
import { planRequest, requestTimeoutMs, sendRequest } from '../step-support/http-request.ts';
import { defineActingRunner } from '../step-support/step-runner.ts';

export const fetchUrlRunner = defineActingRunner(fetchUrlStep, {
  async plan(step) {
    const { http, responseType } = step.config;
    return { request: { ...(await planRequest(http, step)), responseType } };
  },

  async perform({ responseType, ...request }, step) {
    const reading = { ...step.ports, signal: step.signal };
    const timeoutMs = requestTimeoutMs(step.config.http);
    const answer = await sendRequest(step, request, { who: ({ url }) => url, timeoutMs });
    return {
      output: await (responseType
        ? contentAs[responseType](answer, reading)
        : responseContent(answer, reading)),
    };
  },
});
