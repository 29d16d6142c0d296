import type { EndStatus } from '../../domain/runs/run.ts';
import { type RunEnding, runError } from '../../domain/runs/run-list.ts';
import type { FinalWrite } from './checkpoints/run-recorder.ts';

type FlowEnd = Pick<FinalWrite, 'at' | 'error' | 'totals'>;

export const endingOfFlow = ({ at, error, totals }: FlowEnd, status: EndStatus): RunEnding => ({
  status,
  at,
  totals,
  error: runError(status, error),
});
