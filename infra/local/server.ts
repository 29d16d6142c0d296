import { once } from 'node:events';
import type { Server } from 'node:http';
import type { Server as NetServer } from 'node:net';

/** @returns the assigned port. */
export async function listen(server: NetServer, port: number, host: string): Promise<number> {
  server.listen(port, host);
  // Removes its listeners, so that the caller can retry.
  await once(server, 'listening');
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
