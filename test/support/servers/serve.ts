import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

/** An HTTP server on the loopback, until it is closed. */
export async function serveHttp(answer: RequestListener) {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  const closeIdle = () => server.closeIdleConnections();
  return { port, host: `127.0.0.1:${port}`, url: `http://127.0.0.1:${port}`, close, closeIdle };
}
