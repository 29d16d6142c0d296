import { type QueueSpec, queues } from '../../resources.ts';
import { lambdaName } from './names.ts';
import type { Settings } from './settings.ts';

const waiting: ReadonlySet<string> = new Set(
  Object.values<QueueSpec>(queues).flatMap(({ worker, waits }) => (waits ? [`workers.${worker}`] : [])),
);

/** Whether a Lambda runs on Lambda Managed Instances (D294). */
export const isManaged = (id: string, { workers }: Pick<Settings, 'workers'>): boolean =>
  workers === 'managed' && waiting.has(id);

/**
 * The name of a Lambda in a deployment. Lambda moves no function to instances or back: by another name, CloudFormation makes a
 * new one, connects its queue to it, and only then deletes the former.
 */
export const nameFunction = (id: string, settings: Pick<Settings, 'env' | 'workers'>): string =>
  lambdaName(id, settings.env) + (isManaged(id, settings) ? '-managed' : '');
