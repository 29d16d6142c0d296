import type { EndStatus } from '../../domain/runs/run.ts';
import { type NewRun, type RunEnding, runCancelled, runError } from '../../domain/runs/run-list.ts';
import { childListing, type ParentListing, type RunOrigin } from '../../domain/runs/run-origin.ts';
import type { Execution } from './execution.ts';
import type { FinalWrite } from './run-recorder.ts';

const getOrigin = ({ origin }: Execution): RunOrigin => origin ?? { trigger: { type: 'api' } };

/** A dispatched run of a flow as it is listed. */
export function toFlowRun(execution: Execution): NewRun {
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
    ...getOrigin(execution),
    startedAt,
    ...(listedUntil !== undefined && { ttl: listedUntil, ...(startedIn && { startedIn }) }),
  };
}

export const toFlowListing = (execution: Execution): ParentListing =>
  childListing(execution.id, getOrigin(execution));

/** Why a flow ended, for whoever asks. */
export const endError = (status: EndStatus, error: string | null) =>
  error ?? (status === 'cancelled' ? runCancelled : null);

export type FlowEnding = Pick<FinalWrite, 'at' | 'error' | 'totals'>;

export const toFlowEnding = ({ at, error, totals }: FlowEnding, status: EndStatus): RunEnding => ({
  status,
  at,
  totals,
  error: runError(status, error),
});
