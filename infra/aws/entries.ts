import * as authorizer from '../../functions/authorizer.ts';
import { endpoints } from '../../functions/index.ts';
import * as staticFiles from '../../functions/static-files.ts';
import { workers } from '../../functions/workers/index.ts';
import type { Requirements, Use } from '../../shared/platform/aws/uses.ts';
import type { AnyEndpoint } from '../../shared/platform/http/endpoint.ts';
import { endpointRequirements } from '../../shared/platform/http/endpoint-requirements.ts';
import { groupOf } from '../../shared/platform/http/openapi.ts';
import { type QueueSpec, queues, timers } from '../resources.ts';
import { requestSeconds, secondsOf, staticFilesLambda } from '../routes.ts';

/** A Lambda to be: where its code is, and the group whose role and log it shares. */
export interface Entry {
  id: string;
  file: string;
  group: string;
  timeoutSeconds: number;
  memoryMb: number;
  /** From which the statements of its group's role and its environment variables follow. */
  uses: readonly Use[];
}

/** Where no factory states more. */
const usualMb = { endpoint: 512, worker: 1_024 };

const all: readonly AnyEndpoint[] = endpoints;

function worker(name: string, timeoutSeconds = 60): Entry {
  const requirements = workers[name]?.requirements;
  if (!requirements) throw new Error(`functions/workers/index.ts does not hold ${name}`);
  return {
    id: `workers.${name}`,
    file: `functions/workers/${name}.ts`,
    group: 'workers',
    timeoutSeconds,
    ...{ memoryMb: usualMb.worker, ...requirements },
  };
}

/** A Lambda beside the groups: `functions/<id>.ts`. */
const single = (id: string, requirements: Requirements): Entry => ({
  id,
  file: `functions/${id}.ts`,
  group: id,
  timeoutSeconds: requestSeconds,
  ...{ memoryMb: usualMb.endpoint, ...requirements },
});

/** Every Lambda of the service: one an endpoint, the authorizer, the one of static files, those that take messages, and those that run by the clock. */
export const entries: readonly Entry[] = [
  ...all.map((endpoint) => ({
    id: endpoint.id,
    file: `functions/${endpoint.id.replace('.', '/')}.ts`,
    group: groupOf(endpoint),
    timeoutSeconds: secondsOf(endpoint),
    ...{ memoryMb: usualMb.endpoint, ...endpointRequirements(endpoint) },
  })),
  single('authorizer', authorizer.requirements),
  single(staticFilesLambda, staticFiles.requirements),
  ...Object.values(queues as Record<string, QueueSpec>).flatMap(
    ({ worker: name, timeoutSeconds, deadLetterWorker }) => [
      worker(name, timeoutSeconds),
      ...(deadLetterWorker ? [worker(deadLetterWorker)] : []),
    ],
  ),
  ...timers.map(({ worker: name, timeoutSeconds }) => worker(name, timeoutSeconds)),
];
