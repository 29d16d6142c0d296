import net, { type AddressInfo, type Server } from 'node:net';
import { onTestFinished } from 'vitest';

/** Servers on the loopback, by both families where the machine has them, that count who connects. */
export async function trap() {
  let connections = 0;
  const listen = (host: string, port: number) =>
    new Promise<Server | undefined>((resolve) => {
      const server = net.createServer((socket) => {
        connections++;
        socket.destroy();
      });
      server.once('error', () => resolve(undefined)).listen(port, host, () => resolve(server));
    });
  const four = (await listen('127.0.0.1', 0)) as Server;
  const { port } = four.address() as AddressInfo;
  const six = await listen('::1', port);
  onTestFinished(() => {
    four.close();
    six?.close();
  });
  return { port, connections: () => connections };
}
