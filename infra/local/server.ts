import { once } from 'node:events';
import type { Server } from 'node:http';
import type { Server as NetServer } from 'node:net';

/** @returns the port that the server got. */
export async function listen(server: NetServer, port: number, host: string): Promise<number> {
  server.listen(port, host);
  // Leaves no listener behind, so that it may be tried again.
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('No port');
  return address.port;
}

const graceMs = 1_000;

/** Lets the requests under way finish, for a moment. */
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
