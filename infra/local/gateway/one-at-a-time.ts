import type { RequestListener } from 'node:http';
import type { Socket } from 'node:net';

/** The maximum number of pending requests per connection. Further requests close it. */
const requestsMax = 1_000;

/** Handles the requests of a connection in sequence: a pipelined request waits for the response to the previous one. */
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
