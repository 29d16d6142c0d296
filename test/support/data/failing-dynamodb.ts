import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished, vi } from 'vitest';
import { stack } from '../stack/stack.ts';

/** A DynamoDB in front of the stack's that fails by itself, like the embedded one on a full disk, as often as it is told. */
export async function failingDynamoDb(isRefused: (command: string) => boolean) {
  const { port, hostname } = new URL(stack().aws.dynamodb);
  const server = createServer((incoming, response) => {
    const command = String(incoming.headers['x-amz-target']).split('.')[1] ?? '';
    if (isRefused(command)) {
      incoming.resume();
      response.writeHead(500, { 'content-type': 'application/x-amz-json-1.0' });
      response.end('{"__type":"InternalServerError","message":"database or disk is full"}');
      return;
    }
    const { method, url, headers } = incoming;
    incoming.pipe(
      request({ port, hostname, method, path: url, headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(response);
      }),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
}
