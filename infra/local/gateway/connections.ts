import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { ServiceError } from '../../../shared/core/errors/errors.ts';
import { log } from '../../../shared/core/log.ts';
import { toNetwork } from '../../../shared/platform/auth/addresses.ts';
import { toHttpError } from '../../../shared/platform/http/responses/http-errors.ts';
import { writeRaw } from '../runtime/http-messages.ts';
import { connectionsFor } from '../runtime/shortages.ts';

export interface ConnectionBounds {
  total: number;
  perNetwork: number;
}

export function connectionBounds(total = connectionsFor()): ConnectionBounds {
  return { total, perNetwork: Math.ceil(total / 2) };
}

interface Network {
  sockets: number;
  /** Those without a pending request, the longest idle first. */
  idle: Set<Socket>;
}

/**
 * Bounds the open connections of a server, and those of a network (an IPv4 address, or the /64 of an IPv6 address). A
 * further connection replaces the longest idle one, of the network that has the most; without an idle one, it gets a 503.
 */
export function boundConnections(server: Server, { total, perNetwork }: ConnectionBounds): void {
  const networks = new Map<string, Network>();
  const networkOf = new WeakMap<Socket, Network>();
  let open = 0;

  server.on('connection', (socket: Socket) => {
    const name = toNetwork(socket.remoteAddress ?? null);
    const network = networks.get(name) ?? { sockets: 0, idle: new Set() };
    const crowded = network.sockets >= perNetwork ? network : open >= total ? largest(networks) : undefined;
    if (crowded && !replaceIdle(crowded)) return refuse(socket, name);
    networks.set(name, network);
    networkOf.set(socket, network);
    network.sockets++;
    network.idle.add(socket);
    open++;
    socket.once('close', () => {
      open--;
      network.idle.delete(socket);
      if (--network.sockets === 0) networks.delete(name);
    });
  });

  const begin = ({ socket }: { socket: Socket }, response: ServerResponse) => {
    const idle = networkOf.get(socket)?.idle;
    idle?.delete(socket);
    response.once('close', () => !socket.destroyed && idle?.add(socket));
  };
  server.on('request', begin).on('checkContinue', begin);
}

const largest = (networks: ReadonlyMap<string, Network>) =>
  [...networks.values()].reduce((most, each) => (each.idle.size > most.idle.size ? each : most));

function replaceIdle({ idle }: Network): boolean {
  const [longest] = idle;
  if (!longest) return false;
  idle.delete(longest);
  longest.destroy();
  report('Too many connections: the longest idle ones are closed');
  return true;
}

const busy = new ServiceError(
  'BUSY',
  'Too many connections. Reuse connections, or send the request again in a moment',
  { retryAfterSeconds: 1 },
);

function refuse(socket: Socket, network: string): void {
  const { statusCode, headers, body } = toHttpError(busy);
  writeRaw(socket, { statusCode, headers, body: JSON.stringify(body) });
  report('Too many connections: new ones are refused', { network });
}

const reportEveryMs = 10_000;
const reported = new Map<string, { at: number; times: number }>();

/** Logs a message at most every ten seconds, with how often it applied since. */
function report(message: string, fields: object = {}): void {
  const last = reported.get(message) ?? { at: Number.NEGATIVE_INFINITY, times: 0 };
  last.times++;
  reported.set(message, last);
  if (performance.now() - last.at < reportEveryMs) return;
  log.warn(message, { ...fields, times: last.times });
  reported.set(message, { at: performance.now(), times: 0 });
}
