import type { NewRun } from '../../domain/runs/run-list.ts';
import { childListing, type ParentListing, type RunOrigin } from '../../domain/runs/run-origin.ts';
import type { Execution } from '../runs/execution.ts';

const originOf = ({ origin }: Execution): RunOrigin => origin ?? { trigger: { type: 'api' } };

/** A dispatched run of a flow as it is listed. */
export function runOfFlow(execution: Execution): NewRun {
  const {
    id,
    flowName: name,
    flowId,
    flowVersionId,
    recordId,
    startedAt,
    startedIn,
    listedUntil,
  } = execution;
  return {
    id,
    kind: 'flow',
    name,
    flowId,
    ...(flowVersionId && { flowVersionId }),
    ...(recordId && { recordId }),
    ...originOf(execution),
    startedAt,
    ...(listedUntil !== undefined && { ttl: listedUntil, ...(startedIn && { startedIn }) }),
  };
}

export const listingOfFlow = (execution: Execution): ParentListing =>
  childListing(execution.id, originOf(execution));
