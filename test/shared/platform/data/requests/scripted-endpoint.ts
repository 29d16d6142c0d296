import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

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
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { method, url, headers } = request;
    received.push({ method, url, headers, body: Buffer.concat(chunks).toString() });
    react(response, received.length);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    endpoint: `http://127.0.0.1:${port}`,
    received,
    closeIdle: () => server.closeIdleConnections(),
    [Symbol.dispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
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
