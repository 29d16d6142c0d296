import { once } from 'node:events';
import { createServer, type RequestListener, type Server, ServerResponse } from 'node:http';
import type { Server as NetServer } from 'node:net';
import { log } from '../../../shared/core/log.ts';

/** Longer than the idle connections that clients and load balancers keep, usually 60 s. */
const idleMs = 80_000;

/** An HTTP server that keeps idle connections, and answers a client that has closed its sending side. */
export function httpServer(
  handle: RequestListener,
  options: { maxHeaderSize?: number; requestTimeout?: number } = {},
): Server {
  const server: Server & { httpAllowHalfOpen?: boolean } = createServer(
    {
      ...options,
      // A connection that has not sent anything yet is idle too.
      keepAliveTimeout: idleMs,
      headersTimeout: idleMs,
      ServerResponse: class extends ServerResponse {
        override writeHead(...head: never[]): this {
          // Tells the clients of a server that stops not to reuse the connection.
          if (!server.listening) this.shouldKeepAlive = false;
          return super.writeHead(...(head as unknown as [number]));
        }
      },
    },
    handle,
  );
  server.httpAllowHalfOpen = true;
  return server;
}

/** @returns the assigned port. */
export async function listen(server: NetServer, port: number, host: string): Promise<number> {
  server.listen(port, host);
  // Removes its listeners, so that the caller can retry.
  await once(server, 'listening');
  server.on('error', (error) => log.error('A connection could not be accepted', { error, port }));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('No port');
  return address.port;
}

const graceMs = 1_000;

/** Waits briefly for pending requests. */
export function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const grace = setTimeout(() => server.closeAllConnections(), graceMs);
    server.close(() => {
      clearTimeout(grace);
      resolve();
    });
    server.closeIdleConnections();
  });
}
