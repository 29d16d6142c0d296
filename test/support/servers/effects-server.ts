import { serveHttp } from './serve.ts';

/** A server of a tool with effects. Counts the calls by their argument, and the keys that came with them. */
export async function startEffects(delayMs: number) {
  const calls = new Map<string, (string | undefined)[]>();
  const server = await serveHttp((request, response) => {
    const name = `${request.method} ${request.url}`;
    const key = request.headers['idempotency-key'];
    calls.set(name, [...(calls.get(name) ?? []), [key].flat()[0]]);
    setTimeout(() => {
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"done":true}');
    }, delayMs);
  });
  return { ...server, calls };
}
