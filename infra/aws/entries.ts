import { endpoints } from '../../functions/index.ts';
import { groupOf } from '../../shared/platform/http/openapi.ts';
import { isStreamed } from '../../shared/platform/http/response.ts';
import { type QueueSpec, queues, timers } from '../resources.ts';

/** A Lambda to be: where its code is, and the group whose role and log it shares. */
export interface Entry {
  id: string;
  file: string;
  group: string;
  /** Answers piece by piece, for as long as it takes. */
  streams: boolean;
  memoryMb?: number;
}

const worker = (name: string): Entry => ({
  id: `workers.${name}`,
  file: `functions/workers/${name}.ts`,
  group: 'workers',
  streams: false,
});

/** Every Lambda of the service: one an endpoint, the authorizer, those that take messages, and those that run by the clock. */
export const entries: readonly Entry[] = [
  ...endpoints.map((endpoint) => ({
    id: endpoint.id,
    file: `functions/${endpoint.id.replace('.', '/')}.ts`,
    group: groupOf(endpoint),
    streams: isStreamed(endpoint),
    ...('memoryMb' in endpoint && { memoryMb: endpoint.memoryMb }),
  })),
  { id: 'authorizer', file: 'functions/authorizer.ts', group: 'authorizer', streams: false },
  ...Object.values(queues as Record<string, QueueSpec>).flatMap(({ worker: name, deadLetterWorker }) => [
    worker(name),
    ...(deadLetterWorker ? [worker(deadLetterWorker)] : []),
  ]),
  ...timers.map(({ worker: name }) => worker(name)),
];
