import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { serveHttp } from '../../../../support/servers/serve.ts';

export interface Received {
  method: string | undefined;
  url: string | undefined;
  headers: IncomingHttpHeaders;
  body: string;
}

/** What is done with the n-th request. */
export type Reaction = (response: ServerResponse, n: number) => void;

/** A server in DynamoDB's place, which keeps the requests that it receives. */
export async function scriptedEndpoint(react: Reaction) {
  const received: Received[] = [];
  const {
    url: endpoint,
    close,
    closeIdle,
  } = await serveHttp(async (request, response) => {
    const { method, url, headers } = request;
    received.push({ method, url, headers, body: await text(request) });
    react(response, received.length);
  });
  return { endpoint, received, closeIdle, [Symbol.dispose]: close };
}

export const answerWith =
  (body: object, statusCode = 200, headers: Record<string, string> = {}): Reaction =>
  (response) => {
    response.writeHead(statusCode, {
      'content-type': 'application/x-amz-json-1.0',
      'x-amzn-requestid': 'request-1',
      ...headers,
    });
    response.end(JSON.stringify(body));
  };
