import { endpoints } from '../../functions/index.ts';
import type { AnyEndpoint } from '../../shared/platform/http/endpoint.ts';
import { groupOf } from '../../shared/platform/http/openapi.ts';
import { type QueueSpec, queues, timers } from '../resources.ts';
import { requestSeconds, secondsOf, staticFilesLambda } from '../routes.ts';

/** A Lambda to be: where its code is, and the group whose role and log it shares. */
export interface Entry {
  id: string;
  file: string;
  group: string;
  timeoutSeconds: number;
  memoryMb?: number;
}

const all: readonly AnyEndpoint[] = endpoints;

const worker = (name: string, timeoutSeconds = 60): Entry => ({
  id: `workers.${name}`,
  file: `functions/workers/${name}.ts`,
  group: 'workers',
  timeoutSeconds,
});

/** A Lambda beside the groups: `functions/<id>.ts`. */
const single = (id: string): Entry => ({
  id,
  file: `functions/${id}.ts`,
  group: id,
  timeoutSeconds: requestSeconds,
});

/** Every Lambda of the service: one an endpoint, the authorizer, the one of static files, those that take messages, and those that run by the clock. */
export const entries: readonly Entry[] = [
  ...all.map((endpoint) => ({
    id: endpoint.id,
    file: `functions/${endpoint.id.replace('.', '/')}.ts`,
    group: groupOf(endpoint),
    timeoutSeconds: secondsOf(endpoint),
    ...(endpoint.memoryMb !== undefined && { memoryMb: endpoint.memoryMb }),
  })),
  single('authorizer'),
  single(staticFilesLambda),
  ...Object.values(queues as Record<string, QueueSpec>).flatMap(
    ({ worker: name, timeoutSeconds, deadLetterWorker }) => [
      worker(name, timeoutSeconds),
      ...(deadLetterWorker ? [worker(deadLetterWorker)] : []),
    ],
  ),
  ...timers.map(({ worker: name, timeoutSeconds }) => worker(name, timeoutSeconds)),
];
