import * as authorizer from '../../../functions/authorizer.ts';
import { endpoints } from '../../../functions/index.ts';
import * as preTokens from '../../../functions/pre-token-generation.ts';
import * as staticFiles from '../../../functions/static-files.ts';
import { workers } from '../../../functions/workers/index.ts';
import type { Requirements, Use } from '../../../shared/platform/aws/uses.ts';
import type { AnyEndpoint } from '../../../shared/platform/http/endpoint.ts';
import { combineEndpointRequirements, getOperationGroup } from '../../../shared/platform/http/openapi.ts';
import { deadLetters, type QueueSpec, queues, recursiveLoopSetting, timers } from '../../resources.ts';
import { endpointTimeoutSeconds, requestSeconds, staticFilesLambda } from '../../routes.ts';

/** The definition of a Lambda: its code, and the group with which it shares a role and a log. */
export interface LambdaEntry {
  id: string;
  file: string;
  group: string;
  timeoutSeconds: number;
  memoryMb: number;
  /** Whether Lambda stops it within a chain of messages. */
  recursiveLoop?: 'Allow' | 'Terminate';
  /** Determine the statements of its group's role and its environment variables. */
  uses: readonly Use[];
}

/** Cognito's trigger: `functions/pre-token-generation.ts`. */
export const preTokenGeneration = 'pre-token-generation';

/** The group of all workers that state no other. */
export const workersGroup = 'workers';

/** The default memory in MB. */
const usualMb = { endpoint: 512, worker: 1_024 };

/** Endpoints whose Lambda has the role and the log of another group than that of their name. */
const otherGroups: Readonly<Record<string, string>> = {
  // The other public endpoints write nothing: one of them runs the scripts of callers without a credential.
  'public.redeem-login': 'client-tokens',
};

const groupOf = (endpoint: AnyEndpoint) => otherGroups[endpoint.id] ?? getOperationGroup(endpoint);

function worker(name: string, timeoutSeconds: number, group = workersGroup): LambdaEntry {
  const requirements = workers[name]?.requirements;
  if (!requirements) throw new Error(`functions/workers/index.ts has no entry ${name}. Add the worker there`);
  return {
    id: `workers.${name}`,
    file: `functions/workers/${name}.ts`,
    group,
    timeoutSeconds,
    recursiveLoop: recursiveLoopSetting(name),
    memoryMb: usualMb.worker,
    ...requirements,
  };
}

/** Whether a Lambda has a role, a log and a release of its own. */
export const isOfNoGroup = ({ id, group }: LambdaEntry) => id === group;

/** A Lambda outside the groups: `functions/<id>.ts`. */
const single = (id: string, requirements: Requirements): LambdaEntry => ({
  id,
  file: `functions/${id}.ts`,
  group: id,
  timeoutSeconds: requestSeconds,
  memoryMb: usualMb.endpoint,
  ...requirements,
});

const specs: readonly QueueSpec[] = Object.values(queues);

/**
 * Every Lambda of a service with these endpoints: theirs, the authorizer, the static files, the queue consumers, and the
 * scheduled Lambdas.
 */
export const listEntries = (all: readonly AnyEndpoint[]): readonly LambdaEntry[] => [
  ...all.map((endpoint) => ({
    id: endpoint.id,
    file: `functions/${endpoint.id.replace('.', '/')}.ts`,
    group: groupOf(endpoint),
    timeoutSeconds: endpointTimeoutSeconds(endpoint),
    memoryMb: usualMb.endpoint,
    ...combineEndpointRequirements(endpoint),
  })),
  single('authorizer', authorizer.requirements),
  single(staticFilesLambda, staticFiles.requirements),
  single(preTokenGeneration, preTokens.requirements),
  ...specs.map(({ worker: name, timeoutSeconds, group }) => worker(name, timeoutSeconds, group)),
  // Two queues may share a worker for what they give up.
  ...[...new Map(specs.map(({ deadLetterWorker, group }) => [deadLetterWorker, group]))].map(
    ([name, group]) => worker(name, deadLetters.timeoutSeconds, group),
  ),
  ...timers.map(({ worker: name, timeoutSeconds }) => worker(name, timeoutSeconds)),
];

export const entries = listEntries(endpoints);
