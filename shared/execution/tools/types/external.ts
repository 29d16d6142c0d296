import type { HttpResponse } from '../../../adapters/ports/http-port.ts';
import type { Ports } from '../../../adapters/ports/ports.ts';
import { StepError } from '../../../core/errors/step-error.ts';
import { parseAnswerJson } from '../../../core/json/json.ts';
import { isSafe } from '../../../domain/flows/steps/http-config.ts';
import { externalTool } from '../../../domain/tools/tool-types/external.ts';
import {
  authorization,
  httpStatusError,
  mapBody,
  parseBody,
  planRequest,
} from '../../step-support/http-request.ts';
import { renderToolUrl, send, toShownRequest } from '../../tool-support/send.ts';
import { defineToolRunner } from '../../tool-support/tool-runner.ts';

export const externalToolRunner = defineToolRunner(externalTool, {
  async plan(call) {
    const { auth, url, method, headers, body, responseFormat, responseMapping } = call.config;
    const more = { url: await renderToolUrl(call), headers: await authorization(auth, call.render) };
    const request = await planRequest({ url, method, headers, body }, call, more);
    return { request: { ...request, responseFormat, responseMapping } };
  },
  async perform({ responseFormat, responseMapping, ...request }, call) {
    const answer = await send(request, call);
    if (answer.status >= 400) throw httpStatusError('The API', answer);
    const body = readAs[responseFormat ?? (responseMapping ? 'json' : 'auto')](answer, call.ports);
    return { output: responseMapping ? mapBody(body, responseMapping) : body };
  },
  repeatable: ({ method }) => isSafe(method),
  shown: toShownRequest,
});

const readAs = {
  auto: parseBody,
  text: ({ text }: HttpResponse) => text,
  json({ text, headers }: HttpResponse, { shown }: Pick<Ports, 'shown'>) {
    const body = parseAnswerJson(text, 'The API');
    if (body !== undefined) return body;
    const type = headers['content-type'] ?? 'no content type';
    throw new StepError(
      `The API answered ${type} where JSON was expected: ${JSON.stringify(shown(text).trim().slice(0, 100))}`,
    );
  },
};
