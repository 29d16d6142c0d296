import { getTraceHeaders } from '../../core/active-span.ts';
import { apiCallStep } from '../../domain/flows/step-types/api-call.ts';
import {
  authorization,
  mapBody,
  parseBody,
  planRequest,
  requestTimeoutMs,
  sendRequest,
} from '../step-support/http-request.ts';
import { defineActingRunner } from '../step-support/step-runner.ts';

export const apiCallRunner = defineActingRunner(apiCallStep, {
  async plan(step) {
    const { http, auth, requestTemplate, responseMapping } = step.config;
    const headers = await authorization(auth, step.render);
    const request = await planRequest({ ...http, body: requestTemplate ?? http.body }, step, { headers });
    return { request: { ...request, responseMapping } };
  },

  async perform({ responseMapping, ...request }, step) {
    const traced = { ...request, headers: { ...getTraceHeaders(), ...request.headers } };
    const timeoutMs = requestTimeoutMs(step.config.http);
    const answer = await sendRequest(step, traced, { who: () => 'The API', timeoutMs });
    const { status, headers } = answer;
    const body = parseBody(answer, step.ports);
    return { output: responseMapping ? mapBody(body, responseMapping) : { status, headers, body } };
  },
});
