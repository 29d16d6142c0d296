import { useCall } from '../../../api/queries.ts';
import { type StepState, stepStates } from './step-states.ts';

/** What each step did in the last run of a flow by itself, by its id. Empty until that is known. */
export function useLastRun(flowId: string): ReadonlyMap<string, StepState> {
  const query = { flowId, kind: 'flow', limit: 1 } as const;
  const runs = useCall('runs.list', { query }, { everyMs: 15_000 });
  const id = runs.data?.data[0]?.id;
  const trace = useCall(
    'runs.trace',
    { params: { id: id ?? '' } },
    {
      enabled: id !== undefined,
      everyMs: (lastTrace) => (lastTrace?.spans[0]?.endedAt === null ? 2_000 : false),
    },
  );
  return id && trace.data ? stepStates(trace.data.spans) : new Map();
}
