import * as z from 'zod';
import { StepError } from '../../core/errors/step-error.ts';
import { parseAnswerJson } from '../../core/json/json.ts';
import { urlPart } from '../../core/text.ts';
import { checkUrl } from '../net/addresses.ts';
import { safeFetch } from '../net/safe-fetch.ts';
import type { HttpRequest, HttpResponse } from '../ports/http-port.ts';
import type { McpOutcome, McpPort, McpRequest } from '../ports/mcp-port.ts';
import { toToolList } from './session-tools.ts';

const ToolList = z.union([
  z.object({ tools: z.array(z.unknown()) }).transform(({ tools }) => tools),
  z.array(z.unknown()),
]);

/**
 * A server without the protocol: `GET <url>/tools` responds with `{tools: [{name, description?, inputSchema?,
 * annotations?}]}` or with that list, `POST <url>/tools/<name>` takes the arguments and responds with the result.
 */
export const restServer: McpPort = {
  async listTools(request) {
    const answer = await safeFetch({ ...createRequest(request, []), method: 'GET' });
    if (answer.status >= 400) return toFailure(answer);
    const list = ToolList.safeParse(parseAnswerJson(answer.text, 'The server'));
    if (list.success) return toToolList(list.data);
    throw new StepError('The server did not answer with a list of tools: expected {"tools": [{"name": …}]}');
  },
  async callTool({ toolName, args, callId, ...request }): Promise<McpOutcome> {
    const { headers, ...target } = createRequest(request, [toolName]);
    const answer = await safeFetch({
      ...target,
      method: 'POST',
      headers: {
        ...(callId !== undefined && { 'idempotency-key': callId }),
        ...headers,
        'content-type': 'application/json',
      },
      body: JSON.stringify(args),
      sameOriginBody: true,
    });
    if (answer.status >= 400) return toFailure(answer);
    return { output: parseAnswerJson(answer.text, 'The server') ?? answer.text };
  },
};

const toFailure = ({ text, status }: HttpResponse) => ({ failure: text, status });

function createRequest(
  { url, headers, timeoutMs, signal }: McpRequest,
  path: string[],
): Omit<HttpRequest, 'method'> {
  const target = checkUrl(url);
  const segments = ['tools', ...path.map(toSegment)];
  target.pathname = [target.pathname.replace(/\/$/, ''), ...segments].join('/');
  return { url: target.href, headers: { accept: 'application/json', ...headers }, timeoutMs, signal };
}

/** A URL has no way to write these two as names. */
function toSegment(name: string): string {
  if (name === '.' || name === '..') throw new StepError(`A tool of a REST server cannot be named ${name}`);
  return urlPart(name);
}
