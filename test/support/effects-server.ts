import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server of a tool with effects. Counts the calls by their argument, and the keys that came with them. */
export async function startEffects(delayMs: number) {
  const calls = new Map<string, (string | undefined)[]>();
  const server = createServer((request, response) => {
    const name = `${request.method} ${request.url}`;
    const key = request.headers['idempotency-key'];
    calls.set(name, [...(calls.get(name) ?? []), [key].flat()[0]]);
    setTimeout(() => {
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"done":true}');
    }, delayMs);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://${host}`, host, calls, close };
}
