import type { HttpRequest, HttpResponse } from '../../../adapters/ports/http-port.ts';
import { StepError } from '../../../core/errors/step-error.ts';
import { jsonIn } from '../../../core/json/json.ts';
import { externalTool } from '../../../domain/tools/tool-types/external.ts';
import { authorization } from '../../step-support/http-auth.ts';
import { bodyIn, httpStatusError, mappedBody, requestOf } from '../../step-support/http-request.ts';
import { identified } from '../../tool-support/identified.ts';
import { shownRequest } from '../../tool-support/shown-request.ts';
import { defineToolRunner, type ToolRun } from '../../tool-support/tool-runner.ts';
import { urlOf } from '../../tool-support/tool-url.ts';

type Config = import('zod').output<typeof externalTool.config>;

export const external = defineToolRunner(externalTool, {
  async run(call) {
    const { responseFormat, responseMapping } = call.config;
    const answer = await call.ports.fetch(identified(await requestFor(call), call));
    if (answer.status >= 400) throw httpStatusError('The API', answer);
    const body = readAs[responseFormat ?? (responseMapping ? 'json' : 'auto')](answer);
    return { output: responseMapping ? mappedBody(body, responseMapping) : body };
  },
  repeatable: ({ method = 'GET' }) => method === 'GET',
  preview: async (call) => shownRequest(await requestFor(call)),
});

async function requestFor(call: ToolRun<Config>): Promise<HttpRequest> {
  const { auth, timeoutMs: timeout, url, method, headers, body } = call.config;
  const more = { isTraced: true, url: await urlOf(call), headers: await authorization(auth, call.render) };
  return requestOf({ url, method, headers, body, timeout }, call, more);
}

const readAs = {
  auto: bodyIn,
  text: ({ text }: HttpResponse) => text,
  json({ text, headers }: HttpResponse) {
    const body = jsonIn(text);
    if (body !== undefined) return body;
    const type = headers['content-type'] ?? 'no content type';
    throw new StepError(
      `The API answered ${type} where JSON was expected: ${JSON.stringify(text.trim().slice(0, 100))}`,
    );
  },
};
