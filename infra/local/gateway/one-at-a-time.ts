import type { RequestListener } from 'node:http';
import type { Socket } from 'node:net';

/** How many requests of a connection may be there at once; one that sends more is closed. */
const requestsMax = 1_000;

/** Handles the requests of a connection one after another: a pipelined one waits until the answer before it is sent. */
export function oneAtATimePerConnection(handle: RequestListener): RequestListener {
  const queues = new WeakMap<Socket, (() => void)[]>();
  return (request, response) => {
    const { socket } = request;
    const queue = queues.get(socket) ?? [];
    queues.set(socket, queue);
    queue.push(() => handle(request, response));
    response.once('close', () => {
      queue.shift();
      if (!socket.destroyed) queue[0]?.();
    });
    if (queue.length === 1) queue[0]?.();
    if (queue.length > requestsMax) socket.destroy();
  };
}
