import type { IncomingMessage, ServerResponse } from 'node:http';
import { onTestFinished, vi } from 'vitest';
import { serveHttp } from './serve.ts';

/** An HTTP server on the loopback that lives as long as the test. */
export async function loopback(answer: (request: IncomingMessage, response: ServerResponse) => unknown) {
  const { close, ...server } = await serveHttp(answer);
  onTestFinished(close);
  return server;
}

/** Lets the egress guard reach a server on the loopback. */
export const allowHost = (host: string) =>
  vi.stubEnv('ALLOWED_HOSTS', [process.env.ALLOWED_HOSTS, host].filter(Boolean).join(','));
