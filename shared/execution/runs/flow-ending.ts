import type { EndStatus } from '../../domain/runs/run.ts';
import { type RunEnding, runCancelled, runError } from '../../domain/runs/run-list.ts';
import type { FinalWrite } from './checkpoints/run-recorder.ts';

/** Why a flow ended, for whoever asks. */
export const endError = (status: EndStatus, error: string | null) =>
  error ?? (status === 'cancelled' ? runCancelled : null);

export type FlowEnding = Pick<FinalWrite, 'at' | 'error' | 'totals'>;

export const endingOfFlow = ({ at, error, totals }: FlowEnding, status: EndStatus): RunEnding => ({
  status,
  at,
  totals,
  error: runError(status, error),
});
