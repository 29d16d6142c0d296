import type { OperationResponse } from '../../api/api.ts';
import { useCall } from '../../api/queries.ts';
import { howOftenMs } from '../../run/how-often.ts';

export type NewestAgentRun = OperationResponse<'agent-executions.list'>['data'][number];

/** A run as it is now. Asks for this one only, until it ends. */
export function useNewestRun(agentId: string, run: NewestAgentRun): NewestAgentRun {
  const isOpen = run.status in howOftenMs;
  const { data: answer } = useCall(
    'agent-executions.list',
    { params: { id: agentId }, query: { executionId: run.id } },
    {
      enabled: isOpen,
      everyMs: (known) => {
        const last = known ? known.data[0] : run;
        return (last && howOftenMs[last.status]) ?? false;
      },
    },
  );
  return (isOpen && answer?.data[0]) || run;
}
