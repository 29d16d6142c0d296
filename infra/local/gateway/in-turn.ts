import type { RequestListener } from 'node:http';
import type { Socket } from 'node:net';

/** How many requests of a connection may be there at once; one that sends more is closed. */
const requestsMax = 1_000;

/** Handles the requests of a connection one after another: a pipelined one waits until the answer before it is sent. */
export function inTurn(handle: RequestListener): RequestListener {
  const lines = new WeakMap<Socket, (() => void)[]>();
  return (request, response) => {
    const { socket } = request;
    const line = lines.get(socket) ?? [];
    lines.set(socket, line);
    line.push(() => handle(request, response));
    response.once('close', () => {
      line.shift();
      if (!socket.destroyed) line[0]?.();
    });
    if (line.length === 1) line[0]?.();
    if (line.length > requestsMax) socket.destroy();
  };
}
