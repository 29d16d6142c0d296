import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished, vi } from 'vitest';

/** An HTTP server on the loopback that lives as long as the test. */
export async function loopback(answer: (request: IncomingMessage, response: ServerResponse) => unknown) {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { port, host: `127.0.0.1:${port}`, url: `http://127.0.0.1:${port}` };
}

/** Lets the egress guard reach a server on the loopback. */
export const allow = (host: string) =>
  vi.stubEnv('ALLOWED_HOSTS', [process.env.ALLOWED_HOSTS, host].filter(Boolean).join(','));
