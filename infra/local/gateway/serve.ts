import type { Server } from 'node:http';
import { createServer, type Server as NetServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { lockTimeoutMs } from '../runtime/data-dir.ts';
import { close, listen } from '../runtime/server.ts';
import { StartError } from '../runtime/start-error.ts';
import { exposure, isAnyAddress, isLoopback } from './local-routes.ts';

export interface ListeningGateway {
  /** The base URL of the API. */
  url: string;
  /** The base URL of the local routes, for this machine. */
  localUrl: string;
  /** Set if other machines can reach it. */
  warning?: string;
  stop: () => Promise<void>;
}

/** Listens on the host, and if that is a single address, on the loopback address too. */
export async function serveGateway(
  gateway: Server,
  port: number,
  host: string,
  tries = 5,
): Promise<ListeningGateway> {
  const taken = await listenPatiently(gateway, port, host);
  const address = (gateway.address() as { address: string }).address;
  const urlOn = (name: string) => `http://${name.includes(':') ? `[${name}]` : name}:${taken}`;
  const others: NetServer[] = [];
  const stop = async () => {
    for (const other of others) other.close();
    await close(gateway);
  };
  const listenAlso = async (listening: (inner: NetServer) => Promise<number>) => {
    const inner = createServer((socket) => gateway.emit('connection', socket));
    await listening(inner);
    others.push(inner);
  };
  // On many machines localhost is this address first. One without IPv6 has none, and another program may have the port there.
  const onIpv6 = () => listenAlso((inner) => listen(inner, taken, loopback6)).catch(() => {});
  if (isLoopback(address)) {
    if (address !== loopback6) await onIpv6();
    return { url: urlOn(host), localUrl: urlOn(host), stop };
  }
  const warning = exposure(host, taken);
  const localUrl = urlOn(loopback);
  if (isAnyAddress(address)) {
    if (address !== '::') await onIpv6();
    return { url: localUrl, localUrl, warning, stop };
  }
  try {
    await listenAlso((inner) => listenPatiently(inner, taken, loopback, port === 0 ? 0 : undefined));
  } catch (error) {
    if (port !== 0 || tries === 1) throw error;
    // What is free on one address may be taken on the other.
    await stop();
    return serveGateway(gateway, port, host, tries - 1);
  }
  await onIpv6();
  return { url: urlOn(host), localUrl, warning, stop };
}

const loopback = '127.0.0.1';
const loopback6 = '::1';

/** Retries while another instance is ending. @returns the port. */
async function listenPatiently(
  server: Parameters<typeof listen>[0],
  port: number,
  host: string,
  since = Date.now(),
): Promise<number> {
  try {
    return await listen(server, port, host);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== 'EADDRINUSE') {
      throw new StartError(
        `Cannot listen on ${host}:${port}: ${message}. Set HOST and PORT to another address.`,
      );
    }
    if (Date.now() - since > lockTimeoutMs) {
      throw new StartError(
        `Port ${port} is in use. Stop the process that uses it, or set PORT to another port (PORT=0 selects a free one).`,
      );
    }
    await sleep(50);
    return listenPatiently(server, port, host, since);
  }
}
